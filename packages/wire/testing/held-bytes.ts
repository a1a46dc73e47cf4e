/** What this process holds once everything that can go has gone: garbage says nothing about bounds. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

export function heldBytes(): number {
  // The memory of buffers is given back beside the program; a second collection waits for that of the first.
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
