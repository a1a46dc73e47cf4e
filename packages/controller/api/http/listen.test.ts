import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import type { RequestHandler } from './request-handler.ts'
import { ask, localCertificate, openWeb, requestBytes, serverCertificate, WireClient } from './test-web.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))

const hello: RequestHandler = (_request, response, { path }) => {
  response.writeHead(200, ['content-length', String(path.length)])
  response.end(path)
}

const slow: RequestHandler = (request, response, target) => {
  setTimeout(() => hello(request, response, target), 150)
}

for (const [where, host] of [
  ['[::1]:0', '::1'],
  ['[::]:0', '127.0.0.1'],
  ['[::]:0', '::1'],
  ['localhost:0', 'localhost'],
  [':0', '127.0.0.1'],
] as const) {
  const needsIpv6 = where.startsWith('[') && !hasIpv6
  test(`${where} serves ${host}`, { skip: needsIpv6 && 'this machine has no IPv6' }, async () => {
    await using web = await openWeb({ handle: hello, bindPoints: [{ interface: where }] })
    assert.equal((await ask(web.port, { path: '/x' }, { host })).body, '/x')
  })
}

test('a bind point that cannot be opened says why and leaves the others serving', async () => {
  const holder = net.createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  const bindPoints = [
    { interface: `127.0.0.1:${port}` },
    { interface: '127.0.0.1:0' },
    { interface: '203.0.113.7:0' },
    { interface: 'nonsense' },
  ]
  try {
    await using web = await openWeb({ handle: hello, bindPoints })
    const [taken, open, elsewhere, nonsense] = web.listeners
    assert.equal(taken?.error?.code, 'ADDRESS_IN_USE')
    assert.match(taken?.error?.message ?? '', new RegExp(`127.0.0.1:${port}: port ${port} is in use by`))
    if (process.platform === 'linux') assert.equal(taken?.error?.holder?.pid, process.pid)
    assert.equal(elsewhere?.error?.code, 'ADDRESS_NOT_HERE')
    assert.equal(nonsense?.error?.code, 'BAD_ADDRESS')
    assert.equal((await ask(open?.address?.port ?? 0, { path: '/x' })).body, '/x')
  } finally {
    holder.close()
  }
})

test('plain HTTP is served on loopback only', async () => {
  const bindPoints = [{ interface: '127.0.0.1:0' }, { interface: '0.0.0.0:0' }, { interface: ':0' }]
  await using web = await openWeb({ handle: hello, tls: undefined, bindPoints })
  assert.deepEqual(
    web.listeners.map(({ error }) => error?.code),
    [undefined, 'PLAIN_HTTP_NOT_LOOPBACK', 'PLAIN_HTTP_NOT_LOOPBACK'],
  )
  await using client = await WireClient.connectPlain(web.port)
  client.send(requestBytes({ path: '/x' }))
  assert.equal((await client.answer()).body, '/x')
})

test('clients are told where to go from now on', async () => {
  const bindPoints = [{ interface: '127.0.0.1:0', newAddress: 'new.example:443' }]
  await using web = await openWeb({ handle: hello, bindPoints })
  assert.equal((await ask(web.port, { path: '/' })).headers['ziti-ctrl-address'], 'https://new.example:443')
})

test('a client gets the certificate of the name it asks for, and the first one otherwise', async () => {
  const servers = [localCertificate, await serverCertificate('*.alt.example'), await serverCertificate('other.example')]
  await using web = await openWeb({ handle: hello, tls: { servers } })
  const nameSeen = async (servername?: string) => {
    await using client = await WireClient.connect(web.port, servername === undefined ? {} : { servername })
    return client.tls.getPeerCertificate().subject.CN
  }
  assert.equal(await nameSeen(), '127.0.0.1')
  assert.equal(await nameSeen('localhost'), '127.0.0.1')
  assert.equal(await nameSeen('a.alt.example'), '*.alt.example')
  assert.equal(await nameSeen('other.example'), 'other.example')
  assert.equal(await nameSeen('unknown.example'), '127.0.0.1')
})

test('certificates change while the server runs; unusable ones change nothing', async () => {
  await using web = await openWeb({ handle: hello })
  const serial = async (servername: string) => {
    await using client = await WireClient.connect(web.port, { servername })
    return client.tls.getPeerCertificate().serialNumber
  }
  await using old = await WireClient.connect(web.port)
  const before = await serial('localhost')
  const renewed = await serverCertificate('localhost')
  const alternative = await serverCertificate('new.example')
  web.renewTls({ servers: [renewed, alternative] })
  const after = await serial('localhost')
  assert.notEqual(after, before)
  assert.notEqual(await serial('new.example'), after)
  assert.throws(() => web.renewTls({ servers: [{ ...renewed, keyPem: alternative.keyPem }] }))
  assert.throws(() => web.renewTls({ servers: [] }))
  assert.equal(await serial('localhost'), after)
  old.send(requestBytes({ path: '/still' }))
  assert.equal((await old.answer()).body, '/still')
})

test('connections of another protocol are handed over; unknown protocols are refused', async () => {
  await using web = await openWeb({ handle: hello })
  web.take('ziti-ctrl', (socket) => {
    socket.end(`taken ${socket.alpnProtocol}`)
  })
  await using taken = await WireClient.connect(web.port, { ALPNProtocols: ['http/1.1', 'ziti-ctrl'] })
  assert.equal(await taken.rest(), 'taken ziti-ctrl')
  for (const ALPNProtocols of [['h2', 'http/1.1'], ['http/1.1', 'h2'], undefined]) {
    const options = ALPNProtocols === undefined ? {} : { ALPNProtocols }
    assert.equal((await ask(web.port, { path: '/x' }, options)).body, '/x')
  }
  await assert.rejects(WireClient.connect(web.port, { ALPNProtocols: ['h2', 'spdy'] }))
})

test('old TLS is refused, and what is allowed can be narrowed', async () => {
  await using web = await openWeb({ handle: hello })
  await assert.rejects(WireClient.connect(web.port, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1' }))
  await using narrow = await openWeb({ handle: hello, tls: { servers: [localCertificate], maxVersion: 'TLSv1.2' } })
  await using client = await WireClient.connect(narrow.port)
  assert.equal(client.tls.getProtocol(), 'TLSv1.2')
})

test('closing waits for what is being handled and ends what is idle', async () => {
  const web = await openWeb({ handle: slow })
  await using idle = await WireClient.connect(web.port)
  idle.send(requestBytes({ path: '/a' }))
  await idle.answer()
  await using busy = await WireClient.connect(web.port)
  busy.send(requestBytes({ path: '/b' }))
  await sleep(30)
  const started = performance.now()
  const closing = web.close()
  assert.equal(closing, web.close())
  await assert.rejects(WireClient.connect(web.port))
  assert.equal(await idle.rest(), '')
  assert.equal((await busy.answer()).body, '/b')
  await closing
  assert.ok(performance.now() - started < 1000)
})

test('closing cuts what does not end by its deadline', async () => {
  const web = await openWeb({ handle: () => {} })
  await using silent = await WireClient.connect(web.port)
  await using stuck = await WireClient.connect(web.port)
  stuck.send(requestBytes({ path: '/never' }))
  const handshaking = net.connect(web.port, '127.0.0.1')
  await once(handshaking, 'connect')
  web.take('other', () => {})
  await using other = await WireClient.connect(web.port, { ALPNProtocols: ['other'] })
  await sleep(30)
  const started = performance.now()
  await web.close(200)
  const took = performance.now() - started
  assert.ok(took >= 150 && took < 1000, `${took} ms`)
  await Promise.all([silent.rest(), stuck.rest(), other.rest()])
  handshaking.destroy()
})

test('more connections than allowed are turned away, and room that becomes free is used', async () => {
  await using web = await openWeb({ handle: hello, limits: { maxConnections: 3 } })
  const clients = await Promise.all([1, 2, 3].map(() => WireClient.connect(web.port)))
  await assert.rejects(WireClient.connect(web.port))
  await clients[0]?.[Symbol.asyncDispose]()
  await sleep(50)
  assert.equal((await ask(web.port, { path: '/x' })).body, '/x')
  for (const client of clients) client.socket.destroy()
})

test('a handshake that does not end is given up', async () => {
  await using web = await openWeb({ handle: hello, limits: { handshakeTimeout: 200 } })
  await using client = await WireClient.connectPlain(web.port)
  const started = performance.now()
  await client.rest()
  assert.ok(performance.now() - started < 2000)
})

test('what is not TLS ends the connection and nothing else', async () => {
  await using web = await openWeb({ handle: hello })
  await using client = await WireClient.connectPlain(web.port)
  client.send('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await client.rest()
  assert.equal((await ask(web.port, { path: '/x' })).body, '/x')
})

test('an idle connection is closed after its time', async () => {
  await using web = await openWeb({ handle: hello, limits: { idleTimeout: 100 } })
  await using client = await WireClient.connect(web.port)
  client.send(requestBytes({ path: '/x' }))
  const answer = await client.answer()
  assert.match(answer.headers['connection'] ?? '', /keep-alive/)
  const started = performance.now()
  assert.equal(await client.rest(), '')
  assert.ok(performance.now() - started < 3000)
})

test('a handler that throws costs its connection, not the server', async () => {
  const handle: RequestHandler = (request, response, target) => {
    if (target.path === '/throw') throw new Error('a bug')
    hello(request, response, target)
  }
  await using web = await openWeb({ handle })
  await using client = await WireClient.connect(web.port)
  client.send(requestBytes({ path: '/throw' }))
  assert.equal(await client.rest(), '')
  assert.equal((await ask(web.port, { path: '/x' })).body, '/x')
})

test('an upgrade goes to whoever wants it, and is an ordinary request for all others', async () => {
  await using web = await openWeb({
    handle: hello,
    upgrades: {
      isWanted: ({ url }) => url === '/ws',
      accept: (request, socket) => socket.end(`upgraded ${request.url}`),
    },
  })
  await using client = await WireClient.connect(web.port)
  client.send(requestBytes({ path: '/ws', headers: { connection: 'upgrade', upgrade: 'websocket' } }))
  assert.equal(await client.rest(), 'upgraded /ws')
  const ordinary = await ask(web.port, { path: '/other', headers: { connection: 'upgrade', upgrade: 'h2c' } })
  assert.equal(ordinary.body, '/other')
})

test('a server cannot be opened without a usable certificate', async () => {
  await assert.rejects(openWeb({ handle: hello, tls: { servers: [{ certPem: 'x', keyPem: 'y' }] } }))
  assert.ok(tls.DEFAULT_MIN_VERSION >= 'TLSv1.2')
})
