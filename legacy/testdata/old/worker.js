// One process of a real old program that takes the lock turn after turn:
//
//	node worker.js PROGRAM MODULE LOCK SECTION LOG TURNS
//
// Inside the lock it makes the file SECTION, which must not exist. What it finds
// there instead is an overlap; both go to LOG. It ends with one line of JSON.
"use strict";
const fs = require("node:fs");
const [program, module_, lock, section, log, turns] = process.argv.slice(2);
const old = require(module_);
const note = (line) => fs.appendFileSync(log, line + "\n");
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const stats = { program, turns: 0, longestMs: 0, errors: {}, compromised: 0 };
const threw = (e) => {
  const what = e.code || e.message.split(":")[0];
  stats.errors[what] = (stats.errors[what] || 0) + 1;
};

function work() {
  const me = `${program}:${process.pid}:${stats.turns}`;
  let alone = false;
  try {
    fs.writeFileSync(section, me, { flag: "wx" });
    alone = true;
  } catch {
    let other = "?";
    try { other = fs.readFileSync(section, "utf8"); } catch {}
    note(`overlap ${me} ${other}`);
  }
  pause(1);
  if (alone) fs.rmSync(section, { force: true });
}

// Each takes the lock once, works, and releases it.
const once = {
  async mkdir() {
    const key = lock.replace(/\.lock$/, "");
    old.buildUnderPluginLock(key, key + "/none", { label: "x", pluginName: "x", quiet: true }, work);
  },
  async v2() {
    for (;;) {
      const lease = old.acquirePluginBuildLock(lock);
      if (lease !== null) {
        try { work(); } finally { old.releasePluginBuildLock(lock, lease); }
        return;
      }
      const seen = old.inspectPluginBuildLock(lock, Date.now());
      if (seen.state === "abandoned") old.reclaimPluginBuildLock(lock, seen.fence);
      else if (seen.state === "active") pause(1 + Math.random() * 4);
    }
  },
  async heartbeat() {
    for (;;) {
      let release;
      try {
        release = await old.lock(lock.replace(/\.lock$/, ""), {
          realpath: false, onCompromised: () => { stats.compromised++; },
        });
      } catch (e) {
        if (e.code !== "ELOCKED") throw e;
        await new Promise((r) => setTimeout(r, 1 + Math.random() * 4));
        continue;
      }
      work();
      await release();
      return;
    }
  },
};

(async () => {
  fs.writeFileSync(log + ".ready", "");
  while (stats.turns < Number(turns)) {
    const began = Date.now();
    try { await once[program](); } catch (e) { threw(e); pause(1); continue; }
    stats.longestMs = Math.max(stats.longestMs, Date.now() - began);
    stats.turns++;
    pause(Math.random() * 2);
  }
  console.log(JSON.stringify(stats));
})();
