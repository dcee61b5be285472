#!/usr/bin/env node
// Starts the program of amof that npm installed for this system, in this process where Node can, else beside it.
"use strict";

const { accessSync, constants } = require("node:fs");
const { basename } = require("node:path");

const name = `@amof/${process.platform}-${process.arch}`;

function fail(problem, hint) {
  process.stderr.write(`error: ${problem}\nhint: ${hint}\n`);
  process.exit(1);
}

function find() {
  const given = process.env.AMOF_BINARY;
  if (given) return given;
  try {
    return require.resolve(`${name}/bin/amof${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    return fail(
      `${name} is not installed`,
      "Install amof without --omit=optional, and on this system: a lock file or node_modules of another one leaves " +
        "the program out. There is none for musl (Alpine); other ways to install are in the README.",
    );
  }
}

const program = find();
try {
  // Once Node has begun to give way to a program that cannot start, it can only abort.
  accessSync(program, constants.X_OK);
} catch (error) {
  fail(`cannot start ${program}: ${error.code}`, "Install amof again");
}

const called = basename(process.argv[1], ".js");
const args = process.argv.slice(2);
const env = { ...process.env, AMOF_DISTRIBUTION: "npm" };

function giveWay() {
  process.execve(program, [called, ...args], env);
}

function startBeside() {
  const child = require("node:child_process").spawn(program, args, {
    argv0: called,
    env,
    stdio: "inherit",
  });
  child.on(
    "error",
    (error) => fail(`cannot start ${program}: ${error.code}`, "Install amof again"),
  );
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // A terminal sends its interrupt to both.
    process.on(signal, () => (signal === "SIGINT" && process.stdin.isTTY) || child.kill(signal));
  }
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (typeof process.execve === "function" && process.platform !== "win32") giveWay();
else startBeside();
