/** What a monitoring system sees of a running controller: health checks and metrics. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { ApiClient } from './kit/api-client.ts'
import { ControllerProcess, runWeft } from './kit/controller-process.ts'
import { initialised } from './kit/initialised.ts'
import { until } from './kit/patience.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'

const limits = { timeout: 60_000 }

test('health checks and metrics are answered to anyone', limits, async () => {
  await using folder = await temporaryFolder('observed')
  await using controller = await ControllerProcess.run(await initialised(folder.path))
  using anyone = new ApiClient(controller, { base: '' })
  const health = await until('a first check of the store', async () => {
    const reply = await anyone.get('/health-checks')
    assert.equal(reply.status, 200, reply.text)
    const data = reply.body!.data as { healthy: boolean; checks: { id: string; healthy: boolean }[] }
    return data.checks.length > 0 && data
  })
  assert.equal(health.healthy, true)
  assert.deepEqual(
    health.checks.map(({ id }) => id),
    ['bolt.read'],
  )
  assert.equal((await anyone.get('/health-checks/controller/raft')).status, 200)

  using client = await ApiClient.login(controller)
  for (let at = 0; at < 3; at++) await client.get('/identities')
  await client.get('/identities/nobody')
  const metrics = await anyone.get('/metrics')
  assert.equal(metrics.status, 200)
  assert.match(String(metrics.headers['content-type']), /^text\/plain; version=/)
  const samples = metrics.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  assert.ok(samples.length > 20)
  for (const sample of samples) assert.match(sample, /^[a-zA-Z_:][\w:]*(\{.*\})? -?[\d.e+-]+(Inf)?$|NaN$/, sample)
  assert.match(metrics.text, /^# HELP /m)
  assert.ok(
    samples.some((sample) => sample.includes('identities') && / 3$/.test(sample)),
    'requests are counted by route',
  )
  assert.ok(!metrics.text.includes('nobody'), 'ids would be labels without a bound')
})

describe('metrics for one certificate only', () => {
  test('are shown to its holder and to nobody else', limits, async () => {
    await using folder = await temporaryFolder('pinned')
    const pki = join(folder.path, 'pki')
    const configuration = await initialised(folder.path, { metrics: `{ scrapeCert: ${join(pki, 'client.cert')} }` })
    await using controller = await ControllerProcess.run(configuration)
    const cert = await readFile(join(pki, 'client.chain.pem'))
    const key = await readFile(join(pki, 'client.key'))
    assert.equal((await fetchMetrics(controller, { cert, key })).status, 200)
    assert.deepEqual(await fetchMetrics(controller, {}), { status: 401, text: '' })
    const other = { cert: await readFile(join(pki, 'server.chain.pem')), key: await readFile(join(pki, 'server.key')) }
    assert.deepEqual(await fetchMetrics(controller, other), { status: 401, text: '' })
  })

  test('are not served at all when the certificate cannot be read', limits, async () => {
    await using folder = await temporaryFolder('pinned')
    const scrapeCert = join(folder.path, 'scrape.pem')
    const { file } = await initialised(folder.path)
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace(/(binding: metrics\s+options: )\{\}/, `$1{ scrapeCert: ${scrapeCert} }`))
    await using child = runWeft(['controller', 'run', file])
    assert.equal((await child.ended).code, 1)
    assert.match(child.stderr, /web\[0\]\.apis\[3\]\.options\.scrapeCert .*scrape\.pem does not exist/)
  })
})

interface ClientCertificate {
  readonly cert?: Buffer
  readonly key?: Buffer
}

function fetchMetrics({ url, ca }: ControllerProcess, certificate: ClientCertificate) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const request = get(`${url}/metrics`, { ca, agent: false, ...certificate }, (response) => {
      readText(response).then((text) => resolve({ status: response.statusCode!, text }), reject)
    })
    request.on('error', reject)
  })
}
