/**
 * A large network: it is loaded quickly, fits into memory, and a policy over everything costs what a policy over one thing
 * does. Times are for a quiet machine, times WEFT_SLACK; memory is what it is.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiClient, type Json, managementApi } from './kit/api-client.ts'
import type { Configuration } from './kit/configuration.ts'
import { ControllerProcess } from './kit/controller-process.ts'
import { HeapProbe, inspectable } from './kit/heap-probe.ts'
import { initialised } from './kit/initialised.ts'
import { fillNetwork } from './kit/large-network.ts'
import { slack } from './kit/patience.ts'
import { MEBIBYTE, residentBytes } from './kit/process-memory.ts'
import { type TemporaryFolder, temporaryFolder } from './kit/temporary-folder.ts'

const size = { identities: 100_000, services: 10_000, policies: 1_000 }
const limits = { timeout: 60_000 }
const LOAD_LIMIT = 10_000
const MEMORY_LIMIT = 600 * MEBIBYTE

let folder: TemporaryFolder
let configuration: Configuration

before(
  async () => {
    folder = await temporaryFolder('scale')
    configuration = await initialised(folder.path)
    await fillNetwork(configuration, size)
  },
  { timeout: 100_000 },
)

after(() => folder?.[Symbol.asyncDispose]())

describe(`a network of ${size.identities} identities, ${size.services} services and ${size.policies} policies`, () => {
  let controller: ControllerProcess
  let admin: ApiClient

  after(async () => {
    admin?.[Symbol.dispose]()
    await controller?.[Symbol.asyncDispose]()
  })

  test('is loaded in seconds and fits into memory', { timeout: LOAD_LIMIT * slack + 20_000 }, async (t) => {
    const started = performance.now()
    controller = await ControllerProcess.run(configuration, { nodeFlags: inspectable })
    const milliseconds = performance.now() - started
    const resident = await residentBytes(controller.pid)
    t.diagnostic(`loaded in ${Math.round(milliseconds)} ms, ${Math.round(resident / MEBIBYTE)} MiB`)
    admin = await ApiClient.login(controller)
    assert.equal(await totalOf('/identities'), size.identities + 1)
    assert.equal(await totalOf('/services'), size.services)
    assert.equal(await totalOf('/service-policies'), size.policies)
    assert.ok(milliseconds < LOAD_LIMIT * slack, `it took ${Math.round(milliseconds)} ms`)
    assert.ok(resident < MEMORY_LIMIT, `it takes ${Math.round(resident / MEBIBYTE)} MiB`)
  })

  test('answers by index, and pages in order', limits, async () => {
    await timed('one by name', 100, () => admin.list('/identities', 'name = "identity-77777"'))
    const sorted = await timed('a page in the order of names', 100, () => admin.get('/identities?sort=name&limit=100'))
    const names = (sorted.body!.data as Json[]).map(({ name }) => String(name))
    assert.deepEqual(names, names.toSorted())
    const byRole = await admin.list('/identities', 'anyOf(roleAttributes) = "role-5"')
    assert.ok(byRole.length >= size.identities / 1_000)
  })

  test('is listed without a limit in bounded memory, while others are served', limits, async (t) => {
    const path = `/identities?filter=${encodeURIComponent('sort by name limit none')}`
    const { result, longestWait } = await whileServing(() => bytesOf(path))
    const resident = await residentBytes(controller.pid)
    t.diagnostic(`${Math.round(result / MEBIBYTE)} MiB; others waited ${Math.round(longestWait)} ms at most`)
    assert.ok(result > size.identities * 500)
    assert.ok(longestWait < 500 * slack, `somebody waited ${Math.round(longestWait)} ms`)
    assert.ok(resident < MEMORY_LIMIT, `it takes ${Math.round(resident / MEBIBYTE)} MiB`)
  })

  test('is searched by a costly filter while others are served', limits, async (t) => {
    const terms = Array.from({ length: 40 }, (_, at) => `anyOf(roleAttributes) icontains "no ${at}"`)
    const path = `/identities?filter=${encodeURIComponent(terms.join(' or '))}`
    const { result, longestWait } = await whileServing(() => admin.get(path))
    t.diagnostic(`others waited ${Math.round(longestWait)} ms at most`)
    assert.equal(result.status, 200, result.text.slice(0, 300))
    assert.ok(longestWait < 250 * slack, `somebody waited ${Math.round(longestWait)} ms`)
  })

  test('takes a policy over everything in milliseconds, and every member sees it at once', limits, async (t) => {
    using probe = await HeapProbe.attach(controller)
    const [identity] = await admin.list('/identities', 'name = "identity-500"')
    const [service] = await admin.list('/services', 'name = "service-500"')
    const mine = `/identities/${identity!['id']}/services`
    const theirs = `/services/${service!['id']}/identities`
    const before = { mine: await totalOf(mine), theirs: await totalOf(theirs) }
    assert.ok(before.mine < 100 && before.theirs < 1_000, JSON.stringify(before))
    const heapBefore = await probe.heldBytes()
    const bytesBefore = await databaseBytes()

    const everything = { type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] }
    const policy = await timed('a policy over everything', 100, () =>
      admin.create('service-policies', { name: 'everything', ...everything }),
    )
    const seen = await timed('seeing it', 250, () => totalOf(mine))
    assert.equal(seen, size.services)
    assert.equal(await totalOf(theirs), size.identities + 1)
    assert.equal(await totalOf(`/service-policies/${policy}/identities`), size.identities + 1)

    // Every later change of a member costs as little.
    const person = { type: 'User', isAdmin: false }
    const late = await timed('one more identity', 100, () => admin.create('identities', { name: 'late', ...person }))
    assert.equal(await totalOf(`/identities/${late}/services`), size.services)
    await timed('one more service', 100, () => admin.create('services', { name: 'late', encryptionRequired: true }))
    assert.equal(await totalOf(mine), size.services + 1)
    await timed('another attribute', 100, () =>
      patched(`/identities/${identity!['id']}`, { roleAttributes: ['role-1'] }),
    )
    await timed('another type', 100, () => patched(`/service-policies/${policy}`, { type: 'Bind' }))
    assert.equal(await totalOf(`${mine}?policyType=bind`), size.services + 1)

    const heapGrown = ((await probe.heldBytes()) - heapBefore) / MEBIBYTE
    const fileGrown = ((await databaseBytes()) - bytesBefore) / MEBIBYTE
    t.diagnostic(`the heap has grown by ${heapGrown.toFixed(1)} MiB, the file by ${fileGrown.toFixed(2)} MiB`)
    // There are a billion pairs now.
    assert.ok(heapGrown < 20, `the heap has grown by ${heapGrown} MiB`)
    assert.ok(fileGrown < 2, `the file has grown by ${fileGrown} MiB`)

    await timed('taking it back', 100, () => admin.delete(`/service-policies/${policy}`))
    assert.ok((await totalOf(mine)) < 100)
    const resident = await residentBytes(controller.pid)
    t.diagnostic(`${Math.round(resident / MEBIBYTE)} MiB in the end`)
    assert.ok(resident < MEMORY_LIMIT, `it takes ${Math.round(resident / MEBIBYTE)} MiB`)
  })

  async function totalOf(path: string): Promise<number> {
    const reply = await admin.get(`${path}${path.includes('?') ? '&' : '?'}limit=1`)
    assert.equal(reply.status, 200, reply.text)
    return (reply.body!.meta!['pagination'] as { totalCount: number }).totalCount
  }

  /** Reads an answer and throws it away; answers its size. */
  async function bytesOf(path: string): Promise<number> {
    const headers = { 'zt-session': admin.token! }
    const asked = request(`${controller.url}${managementApi}${path}`, { ca: controller.ca, agent: false, headers })
    const [response] = (await once(asked.end(), 'response')) as [IncomingMessage]
    let bytes = 0
    for await (const piece of response) bytes += (piece as Buffer).length
    return bytes
  }

  /** Does something while somebody else asks for small things; answers how long the longest of these took. */
  async function whileServing<T>(work: () => Promise<T>): Promise<{ result: T; longestWait: number }> {
    using other = new ApiClient(controller, { connections: 1 })
    let isDone = false
    const working = work().finally(() => {
      isDone = true
    })
    let longestWait = 0
    while (!isDone) {
      const started = performance.now()
      assert.equal((await other.get('/version')).status, 200)
      longestWait = Math.max(longestWait, performance.now() - started)
      await sleep(5)
    }
    return { result: await working, longestWait }
  }

  async function patched(path: string, body: Json): Promise<void> {
    assert.equal((await admin.patch(path, body)).status, 200)
  }

  /** Does something, which on a quiet machine takes no longer than this. */
  async function timed<T>(what: string, most: number, work: () => Promise<T>): Promise<T> {
    const started = performance.now()
    const result = await work()
    const milliseconds = performance.now() - started
    assert.ok(milliseconds < most * slack, `${what} took ${Math.round(milliseconds)} ms`)
    return result
  }

  async function databaseBytes(): Promise<number> {
    const names = (await readdir(folder.path)).filter((name) => /^controller\.db(-wal)?$/.test(name))
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder.path, name))).size))
    return sizes.reduce((sum, bytes) => sum + bytes, 0)
  }
})
