import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

describe('the database operations', () => {
  test('report nothing before the first run', async () => {
    const { status, json } = await controller.askAdmin('GET', '/database/data-integrity-results')
    assert.equal(status, 200)
    assert.deepEqual(json, {
      data: {
        inProgress: false,
        fixingErrors: false,
        tooManyErrors: false,
        startTime: null,
        endTime: null,
        error: null,
        results: null,
      },
      meta: { pagination: { limit: -1, offset: 0, totalCount: 0 } },
    })
  })

  test('begin one run at a time', async () => {
    const begun = await Promise.all([
      controller.askAdmin('POST', '/database/check-data-integrity'),
      controller.askAdmin('POST', '/database/fix-data-integrity'),
    ])
    assert.deepEqual(begun.map(({ status }) => status).sort(), [202, 429])
    const [accepted, refused] = begun.sort((a, b) => a.status - b.status)
    assert.deepEqual(accepted!.json, { data: {}, meta: {} })
    assert.equal(refused!.json.error.code, 'RATE_LIMITED')
  })

  test('tell what a run found, in a sound controller nothing', async () => {
    const { data } = await ended()
    assert.equal(data.error, null)
    assert.equal(data.results, null)
    assert.ok(data.endTime >= data.startTime)
  })

  test('tell each thing that is wrong', async () => {
    await controller.core.writer.submit({ author: { type: 'test', id: '', name: '' } }, (draft, now) => {
      const service = { name: 'x', configs: ['nowhere'], roleAttributes: [] }
      const base = { id: 'lame', createdAt: now, updatedAt: now, tags: {}, isSystem: false }
      draft.put('services', 'lame', { ...base, ...service })
    })
    await controller.askAdmin('POST', '/database/fix-data-integrity')
    const { data, meta } = await ended()
    assert.equal(data.error, null)
    const description = 'configs of services/lame refers to configs/nowhere, which does not exist'
    assert.deepEqual(data.results, [{ description, fixed: true }])
    assert.equal(data.fixingErrors, true)
    assert.deepEqual(meta, { pagination: { limit: -1, offset: 0, totalCount: 1 } })
  })

  test('take one snapshot a minute', async () => {
    const first = await controller.askAdmin('POST', '/database/snapshot')
    assert.deepEqual([first.status, first.json], [200, { data: {}, meta: {} }])
    const second = await controller.askAdmin('POST', '/database/snapshot')
    assert.equal(second.status, 429)
    assert.equal(second.json.error.code, 'RATE_LIMITED')
  })

  test('are for administrators alone', async () => {
    const token = await controller.login(['admin_readonly', 'ops'])
    for (const [method, path] of [
      ['POST', 'snapshot'],
      ['POST', 'check-data-integrity'],
      ['POST', 'fix-data-integrity'],
      ['GET', 'data-integrity-results'],
    ] as const) {
      assert.equal((await controller.ask({ method, path: `/database/${path}`, token })).status, 401)
      assert.equal((await controller.ask({ method, path: `/database/${path}` })).status, 401)
    }
  })
})

async function ended() {
  for (;;) {
    const { json } = await controller.askAdmin('GET', '/database/data-integrity-results')
    if (!json.data.inProgress) return json
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
