/**
 * The law that the served document, and so what the HTTP layer checks, agrees with the interface that is copied as data.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import type { OpenApiDocument } from '../../resource-kit/openapi.ts'
import { differencesOf, operationsOf, type RecordedOperation } from '../../testing/interface-differences.ts'
import { TestController } from '../../testing/test-controller.ts'

const oneBody = 'every way to enroll takes the same body, with what its endpoint that serves all of them takes'

/** Members besides those of the interface, with the ones that all bodies of enrollments have. */
function besides(names: readonly string[]): readonly string[] {
  return [...names, 'name', 'password', 'username'].sort().map((name) => `+member ${name}`)
}

/** Where ours differs on purpose: `-` is what ours does not have, `+` what it has besides. */
const differences: Readonly<Record<string, { readonly differs: readonly string[]; readonly why: string }>> = {
  enroll: { differs: ['+member serverCsr', '+member token'], why: oneBody },
  enrollCa: {
    differs: ['+body caEnrollmentRequest', ...besides(['certCsr', 'clientCsr', 'serverCertCsr', 'serverCsr', 'token'])],
    why: oneBody,
  },
  enrollErOtt: { differs: besides(['certCsr', 'serverCertCsr']), why: oneBody },
  enrollOtt: { differs: besides(['certCsr', 'serverCertCsr', 'serverCsr']), why: oneBody },
  enrollOttCa: { differs: besides(['certCsr', 'serverCertCsr', 'serverCsr']), why: oneBody },
  enrollToken: { differs: besides(['certCsr', 'serverCertCsr', 'serverCsr', 'token']), why: oneBody },
  enrollUpdb: {
    differs: [
      '+member certCsr',
      '+member clientCsr',
      '+member name',
      '+member serverCertCsr',
      '+member serverCsr',
      '+member token',
    ],
    why: oneBody,
  },
}

/** Named by the interface, served by nobody. */
const unserved = ['PUT /services/{id}', 'PATCH /services/{id}', 'DELETE /services/{id}']

const file = new URL('../../../../testdata/client-operations.json', import.meta.url)
const recorded = JSON.parse(readFileSync(file, 'utf8')) as readonly RecordedOperation[]

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const served = (await controller.askClient({ path: '/swagger.json' })).json as OpenApiDocument
const operations = operationsOf(served)

describe('the client API', () => {
  for (const [group, wanted] of Map.groupBy(recorded, ({ path }) => path.split('/')[1] ?? '')) {
    test(`has the interface of /${group}`, () => {
      for (const operation of wanted) {
        const name = `${operation.method} ${operation.path}`
        if (unserved.includes(name)) continue
        const own = operations.get(name)
        assert.ok(own, `${name} is not served`)
        const listed = differences[own.operationId]?.differs ?? []
        assert.deepEqual(differencesOf(served, own, operation), listed, name)
      }
    })
  }

  test('has no operation that the interface does not know', () => {
    const known = new Set(recorded.map(({ method, path }) => `${method} ${path}`))
    assert.deepEqual(
      [...operations.keys()].filter((operation) => !known.has(operation) || unserved.includes(operation)),
      [],
    )
  })
})
