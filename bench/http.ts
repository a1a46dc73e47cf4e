/**
 * What the HTTP layer costs: one small JSON answer over TLS with keep-alive on 16 connections, against a bare `node:https`
 * server that sends the same bytes. Both run alone in a process of their own; the ratio of their CPU time per request is
 * the number to watch, because it does not depend on what else the machine does.
 *
 *   node bench/http.ts [--smoke] [--rounds N]
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import https from 'node:https'
import { cpus } from 'node:os'
import tls from 'node:tls'
import { parseArgs } from 'node:util'
import { CertificateAuthority, encodePrivateKey, generatePrivateKey, publicKeyOf } from '@weft/pki'
import { createDemux } from '../packages/controller/api/http/demux.ts'
import { createJsonApi } from '../packages/controller/api/http/json-api.ts'
import { WebServer } from '../packages/controller/api/http/listen.ts'
import { silentLogger } from '../packages/controller/log/logger.ts'
import type { Caller } from '../packages/controller/operation/caller.ts'

const CONNECTIONS = 16
const PATH = '/edge/management/v1/identities/s2VTkM3ZuT'

const kinds = ['bare https', 'json api', 'json api, async', 'json api, gzip'] as const
type Kind = (typeof kinds)[number]

const entity = {
  data: {
    _links: { self: { href: './identities/s2VTkM3ZuT' }, services: { href: './identities/s2VTkM3ZuT/services' } },
    createdAt: '2026-01-02T03:04:05.678Z',
    id: 's2VTkM3ZuT',
    tags: {},
    updatedAt: '2026-01-02T03:04:05.678Z',
    appData: {},
    authPolicyId: 'default',
    authenticators: {},
    defaultHostingCost: 0,
    defaultHostingPrecedence: 'default',
    disabled: false,
    enrollment: {},
    envInfo: {},
    hasApiSession: false,
    isAdmin: false,
    isDefaultAdmin: false,
    isMfaEnabled: false,
    name: 'a device of someone',
    roleAttributes: ['devices', 'europe', 'test'],
    typeId: 'Default',
  },
  meta: {},
}

const caller: Caller = {
  kind: 'full',
  identityId: 'x',
  identityName: 'x',
  isAdmin: true,
  grants: new Set(),
  sessionId: 'y',
}

interface Material {
  readonly certPem: string
  readonly keyPem: string
}

async function createMaterial(): Promise<Material> {
  const deps = { clock: { now: () => Date.now() } }
  const root = await CertificateAuthority.createRoot({ subject: { commonName: 'bench' }, trustDomain: 'bench' }, deps)
  const key = await generatePrivateKey('P-256')
  const subject = { commonName: 'localhost' }
  const { chainPem } = root.issueServerCertificate({ subject, publicKey: publicKeyOf(key), hosts: ['127.0.0.1'] })
  return { certPem: chainPem, keyPem: encodePrivateKey(key) }
}

async function serve(kind: Kind, material: Material): Promise<number> {
  if (kind === 'bare https') {
    const body = `${JSON.stringify(entity)}\n`
    const options = { key: material.keyPem, cert: material.certPem, requestCert: true, rejectUnauthorized: false }
    const server = https.createServer(options, (_request, response) => {
      response.writeHead(200, ['content-type', 'application/json', 'content-length', String(body.length)])
      response.end(body)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as { port: number }).port
  }
  const answer = { status: 200, body: entity }
  const handle = createJsonApi({
    base: '/edge/management/v1',
    operations: [
      {
        operationId: 'detailIdentity',
        method: 'GET',
        path: '/identities/{id}',
        access: { entity: 'identity', action: 'read' },
        handle: kind === 'json api, async' ? async () => answer : () => answer,
      },
    ],
    resolveCaller: (call) => (call.header('zt-session') === undefined ? { ...caller, kind: 'nobody' } : caller),
    allows: ({ isAdmin }) => isAdmin,
    log: silentLogger,
    instanceId: 'bench',
  })
  const web = await WebServer.open({
    name: 'bench',
    bindPoints: [{ interface: '127.0.0.1:0' }],
    handle: createDemux([{ name: 'edge-management', root: '/edge/management/v1', handle }]),
    tls: { servers: [material] },
    log: silentLogger,
  })
  return web.listeners[0]?.address?.port ?? 0
}

/** Keeps every connection busy with one request at a time; answers how many were answered. */
async function load(port: number, milliseconds: number, coding: string): Promise<number> {
  const text = Buffer.from(
    `GET ${PATH} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nzt-session: 0f0b52c1-9b0d-4a4e-a6b9-2f5a3d5e7c11\r\n` +
      `accept: application/json\r\n${coding}\r\n`,
  )
  let answered = 0
  const end = performance.now() + milliseconds
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    let length = 0
    let arrived = 0
    socket.on('secureConnect', () => socket.write(text))
    socket.on('data', (piece: Buffer) => {
      if (length === 0) length = answerLength(piece)
      arrived += piece.length
      if (arrived < length) return
      arrived = 0
      answered++
      if (performance.now() < end) socket.write(text)
      else socket.destroy()
    })
    return once(socket, 'close')
  })
  await Promise.all(sockets)
  return answered
}

/** The length of an answer: all are the same, so the first one tells. */
function answerLength(first: Buffer): number {
  const head = first.toString('latin1').split('\r\n\r\n')[0] ?? ''
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`unexpected answer: ${head}`)
  const line = head.split('\r\n').find((one) => one.toLowerCase().startsWith('content-length:')) ?? ':0'
  return head.length + 4 + Number(line.split(':')[1])
}

async function ask<T>(child: ChildProcess, what: object): Promise<T> {
  child.send(what)
  const [answer] = await once(child, 'message')
  return answer as T
}

interface Contender {
  readonly kind: Kind
  readonly child: ChildProcess
  readonly port: number
  readonly coding: string
}

interface Round {
  readonly perSecond: number
  readonly cpuPerRequest: number
  readonly memory: number
}

async function start(kind: Kind, material: Material): Promise<Contender> {
  const child = fork(import.meta.filename, ['serve'])
  const { port } = await ask<{ port: number }>(child, { kind, material })
  return { kind, child, port, coding: kind.endsWith('gzip') ? 'accept-encoding: gzip\r\n' : '' }
}

async function measure({ child, port, coding }: Contender, milliseconds: number): Promise<Round> {
  const before = await ask<{ cpu: number }>(child, {})
  const answered = await load(port, milliseconds, coding)
  const { cpu, memory } = await ask<{ cpu: number; memory: number }>(child, {})
  return { perSecond: (answered * 1000) / milliseconds, cpuPerRequest: (cpu - before.cpu) / answered, memory }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number
}

/** Rounds alternate between the contenders, so that a busy moment of the machine hits all of them. */
async function compare(contenders: readonly Contender[], rounds: number, milliseconds: number) {
  const results = contenders.map(() => [] as Round[])
  for (let round = -1; round < rounds; round++) {
    for (const [i, contender] of contenders.entries()) {
      const result = await measure(contender, milliseconds)
      if (round >= 0) results[i]?.push(result) // The first round only warms up.
    }
  }
  const [bare = []] = results
  return contenders.map(({ kind }, i) => {
    const own = results[i] as Round[]
    const cpu = median(own.map(({ cpuPerRequest }) => cpuPerRequest))
    const ratio = median(own.map(({ cpuPerRequest }, round) => (bare[round]?.cpuPerRequest ?? 0) / cpuPerRequest))
    return {
      server: kind,
      'requests/s': Math.round(median(own.map(({ perSecond }) => perSecond))),
      'CPU us/request': Number(cpu.toFixed(1)),
      'requests per CPU second': Math.round(1e6 / cpu),
      'speed against bare': Number(ratio.toFixed(2)),
      'memory MB': Math.round(Math.max(...own.map(({ memory }) => memory)) / 1e6),
    }
  })
}

if (process.argv[2] === 'serve') {
  process.on('message', async ({ kind, material }: { kind?: Kind; material?: Material }) => {
    if (kind !== undefined && material !== undefined) {
      process.send?.({ port: await serve(kind, material) })
      return
    }
    const { user, system } = process.cpuUsage()
    process.send?.({ cpu: user + system, memory: process.memoryUsage.rss() })
  })
} else {
  const { values } = parseArgs({ options: { smoke: { type: 'boolean' }, rounds: { type: 'string', default: '9' } } })
  const rounds = values.smoke ? 1 : Number(values.rounds)
  const milliseconds = values.smoke ? 100 : 600
  const material = await createMaterial()
  console.log(`node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown processor'}`)
  console.log(`${CONNECTIONS} connections, ${JSON.stringify(entity).length + 1} bytes of body, ${rounds} rounds\n`)
  const contenders = await Promise.all(kinds.map((kind) => start(kind, material)))
  try {
    console.table(await compare(contenders, rounds, milliseconds))
  } finally {
    for (const { child } of contenders) child.kill()
  }
}
