// One process of a real old program that takes turns at the lock:
//
//	node worker.js DIALECT MODULE LOCK LOG TURNS MILLISECONDS PROCESSES
//
// It writes the LOG that turns.go describes and ends with one line of JSON.
"use strict";
const fs = require("node:fs");
const [program, module_, lock, log, turns, most, all] = process.argv.slice(2);
const old = require(module_);
const note = (what, name) => fs.appendFileSync(log, `${what} ${name}\n`);
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const stats = { Program: program, Turns: 0, LongestMS: 0, WaitedMS: 0, Lost: 0, Errors: {} };
const threw = (e) => {
  const what = e.code || e.message.split(":")[0];
  stats.Errors[what] = (stats.Errors[what] || 0) + 1;
};
let asked = 0;

function work() {
  const waited = Date.now() - asked;
  stats.WaitedMS += waited;
  stats.LongestMS = Math.max(stats.LongestMS, waited);
  const me = `${program}:${process.pid}:${stats.Turns}`;
  note("in", me);
  pause(1);
  note("out", me);
  stats.Turns++;
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
          realpath: false, onCompromised: () => { stats.Lost++; },
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
  note("ready", `${program}:${process.pid}`);
  while (("\n" + fs.readFileSync(log, "utf8")).split("\nready ").length - 1 < Number(all)) pause(1);
  const began = Date.now();
  while (stats.Turns < Number(turns) && Date.now() - began < Number(most)) {
    asked = Date.now();
    try { await once[program](); } catch (e) { threw(e); pause(1); continue; }
    pause(Math.random() * 2);
  }
  console.log(JSON.stringify(stats));
})();
