import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { connect as connectTcp } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { certificates, clientMaterial, serverMaterial } from '../testing/certificates.ts'
import { eventually } from '../testing/eventually.ts'
import type { Connection } from './connection.ts'
import { dial } from './dial.ts'
import { TlsPort, type TlsPortOptions } from './tls-port.ts'

function open(options: Partial<TlsPortOptions> = {}): Promise<TlsPort> {
  return TlsPort.open({ host: '127.0.0.1', port: 0, tls: serverMaterial, ...options })
}

function addressOf(port: TlsPort, host = '127.0.0.1'): string {
  return `tls:${host}:${port.address.port}`
}

/** A handshake as any client makes it: the socket, or the error that ended it. */
function handshake(port: TlsPort, options: object): Promise<TLSSocket | Error> {
  const socket = connectTls({ host: '127.0.0.1', port: port.address.port, ca: certificates.caPem, ...options })
  return new Promise((resolve) => {
    socket.once('secureConnect', () => resolve(socket))
    socket.once('error', (error) => resolve(error))
  })
}

const own = { cert: certificates.client.certPem, key: certificates.client.keyPem }

test('the protocol decides who gets the connection', async () => {
  await using port = await open()
  const seen: string[] = []
  for (const protocol of ['ziti-edge', 'ziti-link']) {
    port.registerChannels([protocol], (connection) => void seen.push(`${protocol} ${connection.protocol}`))
  }
  port.registerChannels([''], (connection) => void seen.push(`none ${connection.protocol}`))
  for (const protocols of [['ziti-edge'], ['ziti-link'], ['ziti-edge', 'ziti-link', 'h2'], undefined]) {
    await dial(addressOf(port), { tls: clientMaterial, ...(protocols === undefined ? {} : { protocols }) })
  }
  await eventually(() => seen.length === 4, 'all are accepted')
  assert.deepEqual(seen.toSorted(), ['none ', 'ziti-edge ziti-edge', 'ziti-link ziti-link', 'ziti-link ziti-link'])
})

test('a client without a protocol gets the only one there is, and none of several', async () => {
  await using port = await open()
  const seen: Connection[] = []
  port.registerChannels(['ziti-ctrl'], (connection) => void seen.push(connection))
  await dial(addressOf(port), { tls: clientMaterial })
  await eventually(() => seen.length === 1, 'it is accepted')
  port.registerChannels(['ziti-link'], () => assert.fail('not for links'))
  const socket = (await handshake(port, own)) as TLSSocket
  await new Promise((resolve) => socket.once('close', resolve).resume())
  assert.equal(seen.length, 1)
})

test('a client that offers only other protocols is refused in the handshake', async () => {
  await using port = await open()
  port.registerChannels(['ziti-edge'], () => assert.fail('not for this'))
  await assert.rejects(dial(addressOf(port), { tls: clientMaterial, protocols: ['h2'] }), { code: 'NO_PROTOCOL' })
})

test('a protocol is served once, until it is given back', async () => {
  await using port = await open()
  const registration = port.registerChannels(['a', 'b'], () => {})
  assert.throws(() => port.registerChannels(['c', 'b'], () => {}), { code: 'PROTOCOL_TAKEN' })
  registration[Symbol.dispose]()
  port.registerChannels(['c', 'b'], () => {})
})

test('who the peer is comes from the first certificate', async () => {
  await using port = await open()
  const { promise, resolve } = Promise.withResolvers<Connection>()
  port.registerChannels(['ziti-link'], resolve)
  const dialed = await dial(addressOf(port), { tls: clientMaterial, protocols: ['ziti-link'] })
  const accepted = await promise
  const leaf = new X509Certificate(certificates.client.certPem)
  assert.equal(accepted.fingerprint, leaf.fingerprint.replaceAll(':', '').toLowerCase())
  assert.deepEqual(accepted.certificates[0], leaf.raw)
  assert.equal(accepted.certificates.length, 2)
  assert.equal(accepted.remoteAddress, dialed.localAddress)
  assert.match(accepted.localAddress, /^tcp:127\.0\.0\.1:\d+$/)
  assert.deepEqual(dialed.certificates[0], new X509Certificate(certificates.server.certPem).raw)
})

test('a connection without a certificate does not reach a channel', async () => {
  await using port = await open()
  port.registerChannels(['ziti-edge'], () => assert.fail('there is no certificate'))
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3']) {
    const outcome = await handshake(port, { ALPNProtocols: ['ziti-edge'], maxVersion })
    // With TLS 1.2 the connection can be gone before the client has seen that the handshake worked.
    if (outcome instanceof Error) continue
    await new Promise((resolve) =>
      outcome
        .on('error', () => {})
        .once('close', resolve)
        .resume(),
    )
  }
})

test('TLS 1.2 is served, with forward secrecy only, and nothing older', async () => {
  await using port = await open()
  let accepted = 0
  port.registerChannels([''], () => accepted++)
  const socket = (await handshake(port, { ...own, maxVersion: 'TLSv1.2' })) as TLSSocket
  assert.equal(socket.getProtocol(), 'TLSv1.2')
  assert.match(socket.getCipher().name, /^ECDHE-ECDSA-/)
  assert.ok(
    (await handshake(port, { ...own, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' })) instanceof Error,
  )
  await eventually(() => accepted === 1, 'it is accepted')
  socket.destroy()
})

test('renewed certificates are shown to new connections, and a bad one changes nothing', async () => {
  await using port = await open()
  port.registerChannels(['x'], () => {})
  const shown = async (host: string) => {
    const connection = await dial(addressOf(port, host), { tls: clientMaterial, protocols: ['x'] })
    return new X509Certificate(connection.certificates[0]!).subject
  }
  const old = await dial(addressOf(port), { tls: clientMaterial, protocols: ['x'] })
  assert.equal(await shown('127.0.0.1'), 'CN=server')
  const mismatched = { certPem: certificates.server.certPem, keyPem: certificates.client.keyPem }
  assert.throws(() => port.renew({ servers: [mismatched] }), { code: 'BAD_IDENTITY' })
  assert.throws(() => port.renew({ servers: [] }), { code: 'BAD_IDENTITY' })
  assert.equal(await shown('127.0.0.1'), 'CN=server')
  port.renew({ servers: [certificates.renewedServer] })
  assert.equal(await shown('127.0.0.1'), 'CN=renewed server')
  assert.equal(await shown('localhost'), 'CN=renewed server')
  assert.equal(old.isClosed, false)
})

test('the name a client asks for chooses among several certificates', async () => {
  await using port = await open({ tls: { servers: [certificates.server, certificates.namedServer] } })
  port.registerChannels([''], () => {})
  for (const [servername, subject] of [
    ['localhost', 'CN=server'],
    ['router.example', 'CN=named server'],
  ]) {
    const socket = (await handshake(port, { ...own, servername })) as TLSSocket
    assert.equal(socket.getPeerX509Certificate()?.subject, subject)
    socket.destroy()
  }
})

test('clients that never finish a handshake are cut, and are bounded in number', async () => {
  await using port = await open({ handshakeTimeout: 1_000, maxHandshakesPerSource: 3 })
  port.registerChannels(['x'], () => {})
  const started = performance.now()
  const sockets = Array.from({ length: 6 }, () => connectTcp(port.address.port, '127.0.0.1'))
  const ends = sockets.map(
    (socket) =>
      new Promise<number>((resolve) => {
        socket.on('error', () => {})
        socket.once('close', () => resolve(performance.now() - started))
        socket.resume()
      }),
  )
  const times = (await Promise.all(ends)).toSorted((one, other) => one - other)
  assert.ok(times[3]! - times[2]! > 300, 'the surplus is cut at once, the others when their time is over')
  await dial(addressOf(port), { tls: clientMaterial, protocols: ['x'] })
})

test('while peers are not served in time fewer are let in, and more again when they are', async () => {
  const handshakeWindow = {
    ...{ minSize: 1, maxSize: 2, successThreshold: 0.5, increaseFactor: 2, decreaseFactor: 0.5 },
    ...{ increaseCheckInterval: 1, decreaseCheckInterval: 2 },
  }
  await using port = await open({ handshakeTimeout: 500, handshakeWindow })
  let accepted = 0
  port.registerChannels(['x'], () => accepted++)
  const silent = () => {
    const socket = connectTcp(port.address.port, '127.0.0.1').on('error', () => {})
    return new Promise<void>((resolve) => socket.resume().once('close', () => resolve()))
  }
  const isServed = async () => {
    const before = accepted
    try {
      const connection = await dial(addressOf(port), { tls: clientMaterial, protocols: ['x'] })
      await eventually(() => accepted > before, 'the listener is done with the handshake too')
      connection.destroy()
      return true
    } catch {
      return false
    }
  }
  const one = silent()
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(await isServed(), true)
  await Promise.all([one, silent()])
  // Two were not served: now there is room for one alone.
  const another = silent()
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(await isServed(), false)
  await another
  assert.equal(await isServed(), true)
})

test('a port that is taken, and an address that is not ours, say so', async () => {
  await using port = await open()
  await assert.rejects(open({ port: port.address.port }), { code: 'LISTEN_FAILED' })
})

test('a protocol can have certificates of its own, also for those who name none', async () => {
  await using port = await open()
  const accept = (socket: TLSSocket) => void socket.resume()
  port.register(['ziti-link'], { requiresCertificate: false, accept })
  const tls = { servers: [certificates.namedServer, certificates.renewedServer] }
  const web = port.register(['http/1.1', ''], { requiresCertificate: false, tls, accept })
  const shown = async (options: object) => {
    const socket = (await handshake(port, { rejectUnauthorized: false, ...options })) as TLSSocket
    const { raw } = socket.getPeerX509Certificate()!
    socket.destroy()
    return Object.entries(certificates).find(
      ([, value]) => typeof value === 'object' && new X509Certificate(value.certPem).raw.equals(raw),
    )?.[0]
  }
  for (const version of ['TLSv1.2', 'TLSv1.3']) {
    for (const [name, found] of [
      [{}, 'namedServer'],
      [{ servername: 'localhost' }, 'renewedServer'],
    ] as const) {
      const options = { minVersion: version, maxVersion: version, ...name }
      assert.equal(await shown({ ...options, ALPNProtocols: ['ziti-link'] }), 'server', version)
      assert.equal(await shown({ ...options, ALPNProtocols: ['h2', 'http/1.1'] }), found, version)
      assert.equal(await shown(options), found, version)
    }
  }
  web.renew({ servers: [certificates.renewedServer] })
  assert.equal(await shown({ ALPNProtocols: ['http/1.1'] }), 'renewedServer')
  port.renew({ servers: [certificates.namedServer] })
  assert.equal(await shown({ ALPNProtocols: ['ziti-link'] }), 'namedServer')
  web[Symbol.dispose]()
  assert.equal(await shown({}), 'namedServer')
})

test('TLS versions are those that are wanted', async () => {
  await using port = await open({ tls: { ...serverMaterial, minVersion: 'TLSv1.3' } })
  port.register(['a'], { requiresCertificate: false, accept: (socket) => void socket.resume() })
  assert.ok((await handshake(port, { ALPNProtocols: ['a'], maxVersion: 'TLSv1.2' })) instanceof Error)
  const socket = (await handshake(port, { ALPNProtocols: ['a'] })) as TLSSocket
  assert.equal(socket.getProtocol(), 'TLSv1.3')
  socket.destroy()
})
