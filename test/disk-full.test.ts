/**
 * A disk that is full: callers are refused, the controller says why and stops, and nothing is missing that it had answered.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ApiClient } from './kit/api-client.ts'
import { ControllerProcess } from './kit/controller-process.ts'
import { integrityFindings } from './kit/integrity-check.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'

const WRITERS = 8
const MOST_WRITES = 4_000

/** Names of services, by what was answered to their creation; with a refusal, its request id. */
interface Answers {
  readonly made: Set<string>
  readonly refused: Map<string, string>
}

describe('a disk that is full', () => {
  test('as a limit on the size of a file', { timeout: 100_000 }, async () => {
    await using folder = await temporaryFolder('disk-full')
    const home = join(folder.path, 'home')
    const port = await prepare(home)
    const { size } = await stat(join(home, 'controller.db'))
    // Shells count blocks of 512 or of 1024 bytes; either way there is room for the start and for some changes.
    const blocks = Math.ceil(size / 512) + 400
    const answers = await fillUp(home, port, `ulimit -f ${blocks}; exec "$@"`)
    await assertKept(home, port, answers)
  })

  test('as a file system without room', { timeout: 100_000, skip: mountRefusal() }, async () => {
    await using folder = await temporaryFolder('disk-full')
    const small = join(folder.path, 'small')
    await mkdir(small)
    const home = join(folder.path, 'home')
    const port = await prepare(home)
    // Only the controller sees the small file system; what it holds is copied out in the end.
    const inside = [
      `mount -t tmpfs -o size=2m tmpfs ${small}`,
      `cp -a ${home}/. ${small}/`,
      `mount --bind ${small} ${home}`,
      '"$@"; status=$?',
      `umount ${home}`,
      `cp -a ${small}/. ${home}/`,
      'exit $status',
    ].join('\n')
    const shell = `exec unshare -rmp --fork --kill-child /bin/sh -c '${inside}' sh "$@"`
    const answers = await fillUp(home, port, shell)
    await assertKept(home, port, answers)
  })
})

/** A home that has been started once, so that only changes need room. */
async function prepare(home: string): Promise<number> {
  await using controller = await ControllerProcess.start({ home })
  return controller.port
}

/** Changes things until the disk is full and the controller has stopped for it. */
async function fillUp(home: string, port: number, shell: string): Promise<Answers> {
  const answers: Answers = { made: new Set(), refused: new Map() }
  await using controller = await ControllerProcess.start({ home, port, shell, env: { NODE_COMPILE_CACHE: undefined } })
  using client = await ApiClient.login(controller)
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(client, `w${writer}`, answers)))
  assert.ok(answers.made.size > 0, 'there was no room at all')
  assert.ok(answers.refused.size > 0, 'nobody was told')
  const { code, signal } = await controller.child.ended
  assert.deepEqual({ code, signal }, { code: 1, signal: null }, controller.child.stderr)
  assert.match(controller.child.stderr, /the store has failed/)
  assert.match(controller.child.stderr, /full|no space|too large|I\/O/i)
  for (const requestId of answers.refused.values()) assert.ok(controller.child.stderr.includes(requestId), requestId)
  return answers
}

/** Creates services until one is refused, or the connection ends. */
async function write(client: ApiClient, writer: string, { made, refused }: Answers): Promise<void> {
  for (let at = 0; at < MOST_WRITES; at++) {
    const name = `${writer}-${at}`
    const body = { name, encryptionRequired: true, tags: { padding: 'x'.repeat(2_000) } }
    const reply = await client.post('/services', body).catch(() => undefined)
    if (reply === undefined) return
    if (reply.status === 201) made.add(name)
    else {
      assert.equal(reply.status, 503, reply.text)
      assert.equal(reply.body?.error?.code, 'STORE_FAILED')
      refused.set(name, reply.body!.error!.requestId)
      return
    }
  }
  throw new Error('the disk never became full')
}

async function assertKept(home: string, port: number, { made, refused }: Answers): Promise<void> {
  await using controller = await ControllerProcess.start({ home, port })
  using client = await ApiClient.login(controller)
  const found = new Set((await client.list('/services')).map(({ name }) => String(name)))
  assert.deepEqual([...made.difference(found)], [], 'answered with success, but not there')
  assert.deepEqual(
    [...refused.keys()].filter((name) => found.has(name)),
    [],
    'refused, but there',
  )
  assert.deepEqual(await integrityFindings(client), [])
  await client.create('services', { name: 'there is room again', encryptionRequired: true })
}

/** Why no small file system can be made here, or false. */
function mountRefusal(): string | false {
  try {
    const mount = ['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', '/mnt']
    execFileSync('unshare', ['-rmp', '--fork', '--kill-child', ...mount], { stdio: 'ignore' })
    return false
  } catch {
    return 'this system lets nobody mount a small file system'
  }
}
