// One process that takes turns with a lock written in node, for MS milliseconds, and
// prints how many:
//
//	node worker.js KIND MODULE LOCK MS PAUSE POLL
//
// PAUSE is the longest pause between two turns, POLL how long to sleep when somebody
// else has the lock, both in milliseconds.
"use strict";
const fs = require("node:fs");
const [kind, module_, lock, ms, pause, poll] = process.argv.slice(2);
const old = require(module_);
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const turn = {
  async ttsc() {
    for (;;) {
      const lease = old.acquirePluginBuildLock(lock);
      if (lease !== null) {
        old.releasePluginBuildLock(lock, lease);
        return;
      }
      const seen = old.inspectPluginBuildLock(lock, Date.now());
      if (seen.state === "abandoned") old.reclaimPluginBuildLock(lock, seen.fence);
      else if (seen.state === "active") sleep(Number(poll));
    }
  },
  async "proper-lockfile"() {
    for (;;) {
      try {
        const release = await old.lock(lock, { realpath: false });
        await release();
        return;
      } catch (e) {
        if (e.code !== "ELOCKED") throw e;
        await new Promise((r) => setTimeout(r, Number(poll)));
      }
    }
  },
}[kind];

(async () => {
  console.log("ready");
  fs.readSync(0, Buffer.alloc(3));
  const errors = {};
  let turns = 0;
  for (const begun = Date.now(); Date.now() - begun < Number(ms); ) {
    try {
      await turn();
      turns++;
    } catch (e) {
      errors[e.code || e.message] = (errors[e.code || e.message] || 0) + 1;
    }
    if (Number(pause) > 0) sleep(Math.random() * Number(pause));
  }
  for (const [what, count] of Object.entries(errors)) console.error(`${count} times: ${what}`);
  console.log(turns);
  process.exit(0);
})();
