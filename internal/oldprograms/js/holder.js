// A real old program that takes the lock once, says so, and holds it until it is
// killed:  node holder.js DIALECT MODULE LOCK
"use strict";
const [program, module_, lock] = process.argv.slice(2);
const old = require(module_);
const key = lock.replace(/\.lock$/, "");
const hold = () => {
  require("node:fs").writeSync(1, "held\n");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const take = {
  mkdir: () => old.buildUnderPluginLock(key, key + "/none", { label: "x", pluginName: "x", quiet: true }, hold),
  v2() {
    while (old.acquirePluginBuildLock(lock) === null) {
      const seen = old.inspectPluginBuildLock(lock, Date.now());
      if (seen.state === "abandoned") old.reclaimPluginBuildLock(lock, seen.fence);
      else pause(5);
    }
    hold();
  },
  heartbeat: () => old.lock(key, { realpath: false, stale: 2000, retries: { retries: 100, minTimeout: 100, maxTimeout: 100 } })
    .then(() => { console.log("held"); setInterval(() => {}, 1000); }),
};
take[program]();
