/** The controller's own scan of its database, run to its end. */
import assert from 'node:assert/strict'
import type { ApiClient } from './api-client.ts'
import { until } from './patience.ts'

/** What the scan found wrong, one line each. */
export async function integrityFindings(client: ApiClient): Promise<string[]> {
  const started = await client.post('/database/check-data-integrity')
  assert.equal(started.status, 202, started.text)
  const report = await until('the integrity scan ends', async () => {
    const data = await client.detail('/database/data-integrity-results')
    return data['inProgress'] === false && data
  })
  assert.equal(report['error'], null)
  const results = (report['results'] ?? []) as { description: string }[]
  return results.map(({ description }) => description)
}
