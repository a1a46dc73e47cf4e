/**
 * The law that the served document, and so what the HTTP layer checks, agrees with the interface that is copied as data.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import type { OpenApiDocument } from '../../resource-kit/openapi.ts'
import { differencesOf, operationsOf, type RecordedOperation } from '../../testing/interface-differences.ts'
import { TestController } from '../../testing/test-controller.ts'
import { yamlText } from '../informational/yaml-text.ts'

const ignored = 'named without effect, so it is not taken at all'
const fixedAtCreation = `cannot be changed later: ${ignored}`

/** Where ours differs on purpose: `-` is what ours does not have, `+` what it has besides. */
const differences: Readonly<Record<string, { readonly differs: readonly string[]; readonly why: string }>> = {
  updateAuthenticator: { differs: ['-member currentPassword'], why: `an administrator does not know it: ${ignored}` },
  patchAuthenticator: { differs: ['-member currentPassword'], why: `an administrator does not know it: ${ignored}` },
  patchIdentity: { differs: ['-member type'], why: fixedAtCreation },
  updatePostureCheck: { differs: ['+required typeId'], why: 'it tells which other members there are' },
  listServices: { differs: ['+query asIdentity'], why: 'clients use it, though the interface does not name it' },
  updateService: { differs: ['-member encryptionRequired'], why: fixedAtCreation },
  patchService: { differs: ['-member encryptionRequired'], why: fixedAtCreation },
  updateTerminator: { differs: ['-member service', '-required service'], why: fixedAtCreation },
  patchTerminator: { differs: ['-member service'], why: fixedAtCreation },
  createTransitRouter: { differs: ['-member disabled'], why: ignored },
  updateTransitRouter: { differs: ['-member cost', '-member disabled', '-member noTraversal'], why: fixedAtCreation },
  patchTransitRouter: { differs: ['-member cost', '-member disabled', '-member noTraversal'], why: fixedAtCreation },
  createRouter: { differs: ['-member disabled'], why: ignored },
  updateRouter: { differs: ['-member cost', '-member disabled', '-member noTraversal'], why: fixedAtCreation },
  patchRouter: { differs: ['-member cost', '-member disabled', '-member noTraversal'], why: fixedAtCreation },
}

const file = new URL('../../../../testdata/management-operations.json', import.meta.url)
const recorded = JSON.parse(readFileSync(file, 'utf8')) as readonly RecordedOperation[]

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const served = (await controller.ask({ path: '/swagger.json' })).json as OpenApiDocument
const operations = operationsOf(served)

describe('the management API', () => {
  for (const [group, wanted] of Map.groupBy(recorded, ({ path }) => path.split('/')[1] ?? '')) {
    test(`has the interface of /${group}`, () => {
      for (const operation of wanted) {
        const { method, path } = operation
        const own = operations.get(`${method} ${path}`)
        assert.ok(own, `${method} ${path} is not served`)
        const listed = differences[own.operationId]?.differs ?? []
        assert.deepEqual(differencesOf(served, own, operation), listed, `${method} ${path}`)
      }
    })
  }

  test('has no operation that the interface does not know', () => {
    const known = new Set(recorded.map(({ method, path }) => `${method} ${path}`))
    assert.deepEqual(
      [...operations.keys()].filter((operation) => !known.has(operation)),
      [],
    )
  })
})

describe('the served document', () => {
  test('gives each operation an id of its own', () => {
    const ids = [...operations.values()].map(({ operationId }) => operationId)
    assert.deepEqual(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      [],
    )
  })

  test('leads nowhere that is not there', () => {
    const references = [...JSON.stringify(served).matchAll(/"\$ref":"#\/definitions\/(\w+)"/g)].map(([, name]) => name!)
    assert.ok(references.length > 100)
    assert.deepEqual(
      references.filter((name) => served.definitions[name] === undefined),
      [],
    )
  })

  test('is a specification too, as YAML unless JSON is wanted', async () => {
    const { status, text } = await controller.ask({ path: '/specs/edge-management/spec' })
    assert.equal(status, 200)
    assert.equal(text, yamlText(served))
  })

  test('can be read by people', async () => {
    const { status, text } = await controller.ask({ path: '/docs' })
    assert.equal(status, 200)
    assert.match(text, /createServiceEdgeRouterPolicy/)
  })
})
