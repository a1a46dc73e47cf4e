/**
 * A lock between processes, as a directory: making one is atomic everywhere. Its holder touches it every second, so a
 * lock whose time stands still was left behind by a process that died, whatever machine or container that ran in.
 */
'use strict'

const { mkdirSync, rmSync, statSync, utimesSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

const HEARTBEAT = 1_000
const ABANDONED_AFTER = 15_000

/** Runs `work` while holding the lock; `work` is told whether an earlier holder died in the middle of its own. */
async function holdingLock(lock, say, work) {
  const wasAbandoned = await take(lock, say)
  const heartbeat = setInterval(() => touch(lock), HEARTBEAT)
  try {
    return await work(wasAbandoned)
  } finally {
    clearInterval(heartbeat)
    rmSync(lock, { recursive: true, force: true })
  }
}

async function take(lock, say) {
  mkdirSync(dirname(lock), { recursive: true })
  let isWaiting = false
  while (!make(lock)) {
    const touched = statSync(lock, { throwIfNoEntry: false })?.mtimeMs
    if (touched === undefined) continue
    // Of those who see the same abandoned lock only one can make this directory, which also touches the lock.
    if (Date.now() - touched > ABANDONED_AFTER && make(join(lock, `after-${touched}`))) return true
    if (!isWaiting) say('another process is installing, waiting for it')
    isWaiting = true
    await sleep(200)
  }
  return false
}

function make(directory) {
  try {
    mkdirSync(directory)
    return true
  } catch (error) {
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return false
    throw error
  }
}

/** A lock that is gone was taken over by someone who thought us dead; there is nothing left to keep alive. */
function touch(lock) {
  try {
    utimesSync(lock, new Date(), new Date())
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

module.exports = { ABANDONED_AFTER, holdingLock }
