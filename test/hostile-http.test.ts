/**
 * Hostile connections against a real controller: what is not HTTP, too much, too slow, or never read. Each is refused
 * precisely, others are served meanwhile, and in the end the process holds no more than in the beginning.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiClient, managementApi } from './kit/api-client.ts'
import { ControllerProcess } from './kit/controller-process.ts'
import { HeapProbe, inspectable } from './kit/heap-probe.ts'
import { initialised } from './kit/initialised.ts'
import { slack, until } from './kit/patience.ts'
import { MEBIBYTE, residentBytes } from './kit/process-memory.ts'
import { seededRandom } from './kit/random.ts'
import { exchange, RawConnection } from './kit/raw-connection.ts'
import { sharedController } from './kit/running.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'

const limits = { timeout: 60_000 }
const LARGEST_BODY = MEBIBYTE
/** What connections wait for at most, by default: a request to arrive, a handshake, the next request. */
const PATIENCE = 5_000

const running = sharedController(startWithAllBindings)

async function startWithAllBindings(): Promise<ControllerProcess> {
  await using made = new AsyncDisposableStack()
  const folder = made.use(await temporaryFolder('hostile'))
  const configuration = await initialised(folder.path)
  return ControllerProcess.run(configuration, { nodeFlags: inspectable, folder: made.move() })
}

/** Serves others quickly, whatever is going on. */
async function assertServing(): Promise<void> {
  const { controller, admin } = running()
  assert.ok(!controller.child.hasEnded, controller.child.stderr)
  const started = performance.now()
  assert.equal((await admin.get('/identities?limit=1')).status, 200)
  const wait = performance.now() - started
  assert.ok(wait < 250 * slack, `a request took ${Math.round(wait)} ms`)
}

afterEach(assertServing)

function head(method: string, path: string, ...lines: string[]): string {
  return `${[`${method} ${path} HTTP/1.1`, 'host: localhost', ...lines].join('\r\n')}\r\n\r\n`
}

const list = `${managementApi}/identities`
const json = 'content-type: application/json'

describe('what is not a request', () => {
  const cases: [what: string, text: string | Buffer, status: number | undefined][] = [
    ['no method', 'hello\r\n\r\n', 400],
    ['an unknown method', head('EAT', list), 400],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['no host', `GET ${list} HTTP/1.1\r\n\r\n`, 400],
    ['a space before the colon', head('GET', list, 'accept : */*'), 400],
    ['a folded header', head('GET', list, 'x: a\r\n b'), 400],
    ['a NUL in a header', head('GET', list, 'x: a\0b'), 400],
    ['a bare line feed', `GET ${list} HTTP/1.1\nhost: x\n\n`, 400],
    ['two lengths', head('POST', list, json, 'content-length: 2', 'content-length: 3') + '{}}', 400],
    ['a length and chunks', head('POST', list, json, 'content-length: 2', 'transfer-encoding: chunked') + '{}', 400],
    ['a negative length', head('POST', list, json, 'content-length: -1'), 400],
    ['a length in words', head('POST', list, json, 'content-length: two'), 400],
    ['an endless length', head('POST', list, json, `content-length: ${'9'.repeat(40)}`), 400],
    ['an unknown coding', head('POST', list, json, 'transfer-encoding: magic') + '{}', 400],
    ['a chunk without a size', head('POST', list, json, 'transfer-encoding: chunked') + 'xyz\r\n', 400],
    ['a chunk of endless size', head('POST', list, json, 'transfer-encoding: chunked') + 'fffffffffffffffff\r\n', 400],
    ['a head of 17 KiB', head('GET', list, `x: ${'a'.repeat(17_000)}`), 431],
    ['a head of 200 KiB', head('GET', list, `x: ${'a'.repeat(200_000)}`), 431],
    ['a path of 17 KiB', head('GET', `${list}?filter=${'a'.repeat(17_000)}`), 431],
    ['101 headers', head('GET', list, ...Array.from({ length: 100 }, (_, at) => `x-${at}: 1`)), 431],
    ['five thousand headers', head('GET', list, ...Array.from({ length: 5_000 }, () => 'a: b')), 431],
    ['an expectation', head('POST', list, json, 'expect: the unexpected', 'content-length: 2'), 417],
  ]
  for (const [what, text, status] of cases) {
    test(`is refused: ${what}`, limits, async () => {
      const answer = await exchange(running().controller, text)
      assert.equal(answer?.status, status, answer?.head ?? 'no answer')
    })
  }

  test('is not even answered when it is not TLS', limits, async () => {
    const { port } = running().controller
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    let answered = ''
    socket.setEncoding('latin1').on('data', (text) => {
      answered += text
    })
    socket.write(head('GET', list))
    await once(socket, 'close')
    assert.doesNotMatch(answered, /HTTP/)
  })
})

describe('a request that is odd', () => {
  const cases: [what: string, text: string, status: number][] = [
    ['TRACE', head('TRACE', list), 405],
    ['a verb it has no use for', head('PROPFIND', list), 405],
    ['HEAD', head('HEAD', list, 'connection: close'), 405],
    ['HTTP/0.9', `GET ${list}\r\n\r\n`, 401],
    ['a full address for a target', head('GET', `https://elsewhere${list}`), 401],
    ['two hosts', head('GET', list, 'host: elsewhere'), 400],
    ['a wish for another protocol', head('GET', list, 'connection: upgrade', 'upgrade: websocket'), 401],
    ['two sessions', head('GET', list, 'zt-session: a', 'zt-session: b'), 401],
    ['many authorizations', head('GET', list, ...Array.from({ length: 40 }, () => 'authorization: Bearer a.b.c')), 401],
    ['an authorization of 8 KiB', head('GET', list, `authorization: Bearer ${'a.'.repeat(4_000)}`), 401],
    [
      'two types of content',
      head(
        'POST',
        `${managementApi}/authenticate?method=password`,
        'content-type: text/plain',
        json,
        'content-length: 2',
      ) + '{}',
      415,
    ],
    [
      'no type of content',
      head('POST', `${managementApi}/authenticate?method=password`, 'content-length: 2') + '{}',
      415,
    ],
    ['dots in the path', head('GET', `${managementApi}/identities/../../../../etc/passwd`), 404],
    ['encoded dots in the path', head('GET', `${managementApi}/%2e%2e/%2e%2e/etc/passwd`), 404],
  ]
  for (const [what, text, status] of cases) {
    test(`gets its answer: ${what}`, limits, async () => {
      const answer = await exchange(running().controller, text)
      assert.equal(answer?.status, status, `${answer?.head}\n${answer?.body}`)
    })
  }
})

describe('a body that is too large', () => {
  const paths = [
    `${managementApi}/services`,
    `${managementApi}/authenticate?method=password`,
    `${managementApi}/version`,
    `${managementApi}/nowhere`,
    '/edge/client/v1/authenticate?method=password',
    '/edge/client/v1/enroll',
    '/edge/client/v1/nowhere',
    '/enroll',
    '/authenticate?method=password',
    '/oidc/login/password',
    '/oidc/oauth/token',
    '/',
  ]
  for (const path of paths) {
    test(`is refused before anyone is asked who they are: ${path}`, limits, async () => {
      const { controller } = running()
      const declared = await exchange(controller, head('POST', path, json, `content-length: ${LARGEST_BODY + 1}`))
      assert.equal(declared?.status, 413)
      assert.match(declared.body, /"REQUEST_ENTITY_TOO_LARGE"/)
      const huge = await exchange(controller, head('POST', path, json, 'content-length: 9007199254740991'))
      assert.equal(huge?.status, 413)
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
      const pieces = Array.from({ length: 24 }, () => chunk)
      const chunked = await exchange(controller, head('POST', path, json, 'transfer-encoding: chunked'), ...pieces)
      assert.equal(chunked?.status, 413)
      assert.match(chunked.body, /"REQUEST_ENTITY_TOO_LARGE"/)
    })
  }

  for (const path of ['/health-checks', '/metrics']) {
    test(`is not taken by ${path} either`, limits, async () => {
      const { controller } = running()
      using connection = await RawConnection.open(controller)
      connection.write(head('GET', path, 'content-length: 1000000000'))
      assert.equal((await connection.answer())?.status, 200)
      const chunk = 'x'.repeat(100_000)
      const before = await residentBytes(controller.pid)
      for (let at = 0; at < 300 && !connection.isClosed; at++) {
        connection.write(chunk)
        await sleep(1)
      }
      assert.ok((await residentBytes(controller.pid)) - before < 40 * MEBIBYTE)
    })
  }

  test('of many at once is not held in memory', limits, async () => {
    const { controller } = running()
    const before = await residentBytes(controller.pid)
    const body = `{"username":"${'x'.repeat(LARGEST_BODY - 100)}`
    const connections = await Promise.all(Array.from({ length: 100 }, () => RawConnection.open(controller)))
    for (const connection of connections) {
      connection.write(head('POST', `${managementApi}/services`, json, `content-length: ${LARGEST_BODY}`))
      connection.write(body)
    }
    await sleep(1_000)
    await assertServing()
    const grown = (await residentBytes(controller.pid)) - before
    for (const connection of connections) connection[Symbol.dispose]()
    assert.ok(grown < 90 * MEBIBYTE, `grown by ${Math.round(grown / MEBIBYTE)} MiB`)
  })
})

describe('a slow client', () => {
  const cases: [what: string, start: string, drop: string][] = [
    ['a head', `GET ${list} HTTP/1.1\r\nhost: x\r\n`, 'x: y\r\n'],
    ['a body', head('POST', `${managementApi}/authenticate?method=password`, json, 'content-length: 5000'), '{'],
    [
      'chunks',
      head('POST', `${managementApi}/authenticate?method=password`, json, 'transfer-encoding: chunked'),
      '1\r\n{\r\n',
    ],
    ['nothing at all', '', ''],
  ]
  test('is given up, whatever comes slowly, and others are served meanwhile', limits, async () => {
    const { controller } = running()
    const started = performance.now()
    const connections = await Promise.all(
      Array.from({ length: 80 }, async (_, at) => {
        const [, start, drop] = cases[at % cases.length]!
        const connection = await RawConnection.open(controller)
        connection.write(start)
        return { connection, drop }
      }),
    )
    while (connections.some(({ connection }) => !connection.isClosed)) {
      for (const { connection, drop } of connections) connection.write(drop)
      await assertServing()
      await sleep(200)
      assert.ok(performance.now() - started < (PATIENCE + 3_000) * slack, 'a slow client is still connected')
    }
    const answers = connections.map(({ connection }) => /^HTTP\/1\.1 (\d+)/.exec(connection.received)?.[1])
    assert.ok(answers.includes('408'), answers.join(' '))
    for (const answer of answers) assert.ok(answer === undefined || answer === '408', `answered ${answer}`)
    for (const { connection } of connections) connection[Symbol.dispose]()
  })

  test('that never reads its answers costs a bounded amount', limits, async () => {
    const { controller, admin } = running()
    const data = { padding: 'x'.repeat(200_000) }
    const service = { encryptionRequired: true, tags: data }
    for (let at = 0; at < 10; at++) await admin.create('services', { name: `padded ${at}`, ...service })
    const before = await residentBytes(controller.pid)
    const request = head('GET', `${managementApi}/services`, `zt-session: ${admin.token}`)
    const connections = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(controller)))
    for (const { socket } of connections) {
      socket.pause()
      socket.write(request.repeat(50))
    }
    await sleep(1_500)
    await assertServing()
    const grown = (await residentBytes(controller.pid)) - before
    for (const connection of connections) connection[Symbol.dispose]()
    // A gigabyte was asked for twice over.
    assert.ok(grown < 250 * MEBIBYTE, `grown by ${Math.round(grown / MEBIBYTE)} MiB`)
  })
})

describe('a client that goes away', () => {
  test('by half gets its answer', limits, async () => {
    using connection = await RawConnection.open(running().controller)
    connection.write(head('GET', '/version'))
    connection.socket.end()
    assert.equal((await connection.answer())?.status, 200)
  })

  test('in the middle of anything leaves nothing behind', limits, async () => {
    const { controller, admin } = running()
    const whole = head('POST', `${managementApi}/services`, json, `zt-session: ${admin.token}`, 'content-length: 40')
    const random = seededRandom()
    for (let at = 0; at < 60; at++) {
      const connection = await RawConnection.open(controller)
      connection.write(whole.slice(0, random.integer(whole.length + 1)))
      if (at % 3 === 0) connection.socket.end()
      else if (at % 3 === 1) connection.reset()
      else connection[Symbol.dispose]()
    }
  })

  test('while it is being answered harms nobody', limits, async () => {
    const { controller, admin } = running()
    for (let at = 0; at < 60; at++) {
      const connection = await RawConnection.open(controller)
      connection.write(head('GET', `${managementApi}/services?limit=500`, `zt-session: ${admin.token}`))
      connection.reset()
    }
  })
})

test('two thousand idle connections keep nobody from being served, and are given up', {
  timeout: 90_000,
}, async (t) => {
  const { controller } = running()
  const before = await residentBytes(controller.pid)
  const sockets: Socket[] = []
  let closed = 0
  const idle = async (open: () => Promise<Socket>) => {
    const socket = await open()
    socket.on('error', () => {})
    socket.once('close', () => closed++)
    socket.once('end', () => socket.destroy())
    socket.resume()
    sockets.push(socket)
  }
  const started = performance.now()
  // Most say nothing at all; the others shake hands first, which costs this machine more than the controller.
  await inBatches(1_700, () => idle(() => tcpConnection(controller.port)))
  await inBatches(300, () => idle(async () => (await RawConnection.open(controller)).socket))
  t.diagnostic(`${sockets.length} connections after ${Math.round(performance.now() - started)} ms`)
  using fresh = await ApiClient.login(controller)
  assert.equal((await fresh.get('/identities')).status, 200)
  await assertServing()
  const grown = (await residentBytes(controller.pid)) - before
  assert.ok(grown < 200 * MEBIBYTE, `grown by ${Math.round(grown / MEBIBYTE)} MiB`)
  await until('all idle connections are given up', () => closed === sockets.length, {
    within: (PATIENCE + 5_000) * slack,
  })
})

async function tcpConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

async function inBatches(count: number, open: () => Promise<void>): Promise<void> {
  for (let at = 0; at < count; at += 50) await Promise.all(Array.from({ length: Math.min(50, count - at) }, open))
}

test('random bytes and broken requests do no more than end their connection', limits, async (t) => {
  const { controller } = running()
  const random = seededRandom()
  t.diagnostic(`seed ${random.seed}`)
  const whole = Buffer.from(
    head('POST', `${managementApi}/authenticate?method=password`, json, 'content-length: 2') + '{}',
  )
  for (let round = 0; round < 6; round++) {
    await Promise.all(
      Array.from({ length: 25 }, async () => {
        using connection = await RawConnection.open(controller)
        const bytes = Buffer.from(whole)
        for (let flips = random.integer(8); flips >= 0; flips--)
          bytes[random.integer(bytes.length)] = random.integer(256)
        connection.write(bytes)
        connection.socket.end()
        await until('an answer or the end', () => connection.isClosed || connection.received !== '')
        assert.doesNotMatch(connection.received, /^HTTP\/1\.1 5/)
      }),
    )
  }
})

test('after all of this the process holds no more than before', limits, async (t) => {
  const { controller } = running()
  using probe = await HeapProbe.attach(controller)
  // One round to warm up everything that a round uses, and then some more that must add nothing.
  await hostileRound(controller)
  const before = { heap: await probe.heldBytes(), resident: await residentBytes(controller.pid) }
  for (let round = 0; round < 5; round++) await hostileRound(controller)
  const after = { heap: await probe.heldBytes(), resident: await residentBytes(controller.pid) }
  const grown = (key: 'heap' | 'resident') => (after[key] - before[key]) / MEBIBYTE
  t.diagnostic(
    `heap ${(after.heap / MEBIBYTE).toFixed(1)} MiB (${grown('heap').toFixed(2)} more), resident ${Math.round(after.resident / MEBIBYTE)} MiB`,
  )
  assert.ok(grown('heap') < 3, `the heap has grown by ${grown('heap')} MiB`)
  assert.ok(grown('resident') < 60, `resident memory has grown by ${grown('resident')} MiB`)
  assert.ok(after.resident < 450 * MEBIBYTE)
})

async function hostileRound(controller: ControllerProcess): Promise<void> {
  using client = new ApiClient(controller)
  const login = `${managementApi}/authenticate?method=password`
  for (let at = 0; at < 40; at++) {
    await client.post('/authenticate?method=password', '{"username":')
    await client.post('/authenticate?method=password', `{"a":"${'x'.repeat(200_000)}"`)
    await client.request('GET', '/identities', undefined, { 'zt-session': `nobody-${at}-${Math.random()}` })
    await client.request('GET', `/nowhere/${Math.random()}`, undefined, {
      authorization: `Bearer a.${Math.random()}.c`,
    })
  }
  await Promise.all(
    Array.from({ length: 20 }, () =>
      exchange(controller, head('POST', login, json, `content-length: ${LARGEST_BODY + 1}`)),
    ),
  )
}
