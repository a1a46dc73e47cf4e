/**
 * The law that the served document, and so what the HTTP layer checks, agrees with the interface that is copied as data.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import type { DescribedOperation, OpenApiDocument } from '../../resource-kit/openapi.ts'
import { TestController } from '../../testing/test-controller.ts'
import { yamlText } from '../informational/yaml-text.ts'

interface Body {
  readonly name: string
  readonly members: readonly string[]
  readonly required: readonly string[]
}

/** One operation of the interface. */
interface Recorded {
  readonly method: string
  readonly path: string
  readonly operationId?: string
  readonly query?: readonly string[]
  readonly body?: Body
}

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

/** What all of our lists take, whether the interface says so of each of them or not. */
const takenByLists = ['filter', 'limit', 'offset', 'sort']

const file = new URL('../../../../testdata/management-operations.json', import.meta.url)
const recorded = JSON.parse(readFileSync(file, 'utf8')) as readonly Recorded[]

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const served = (await controller.ask({ path: '/swagger.json' })).json as OpenApiDocument
const operations = new Map<string, DescribedOperation>()
for (const [path, methods] of Object.entries(served.paths)) {
  for (const [method, operation] of Object.entries(methods))
    operations.set(`${method.toUpperCase()} ${path}`, operation)
}

describe('the management API', () => {
  for (const [group, wanted] of Map.groupBy(recorded, ({ path }) => path.split('/')[1] ?? '')) {
    test(`has the interface of /${group}`, () => {
      for (const operation of wanted) {
        const { method, path } = operation
        const own = operations.get(`${method} ${path}`)
        assert.ok(own, `${method} ${path} is not served`)
        const listed = differences[own.operationId]?.differs ?? []
        assert.deepEqual(differencesOf(own, operation), listed, `${method} ${path}`)
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

function differencesOf(own: DescribedOperation, wanted: Recorded): string[] {
  const { operationId = own.operationId, query = [], body, method } = wanted
  const parameters = own.parameters ?? []
  const ownQuery = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
  const listed =
    method === 'GET' ? ownQuery.filter((name) => query.includes(name) || !takenByLists.includes(name)) : ownQuery
  const ownBody = bodyOf(own)
  return [
    ...setDifferences('operation', [own.operationId], [operationId]),
    ...setDifferences('query', listed, query),
    ...setDifferences('body', ownBody ? [ownBody.name] : [], body ? [body.name] : []),
    ...setDifferences('member', ownBody?.members ?? [], body?.members ?? []),
    ...setDifferences('required', ownBody?.required ?? [], body?.required ?? []),
  ]
}

function bodyOf({ parameters = [] }: DescribedOperation): Body | undefined {
  const body = parameters.find((one) => one.in === 'body')
  if (body === undefined) return undefined
  const reference = body.schema?.['$ref'] as string | undefined
  const schema = reference === undefined ? body.schema! : served.definitions[reference.slice('#/definitions/'.length)]!
  const members = Object.keys((schema['properties'] ?? {}) as object)
  return { name: body.name, members, required: (schema['required'] ?? []) as string[] }
}

function setDifferences(what: string, own: readonly string[], wanted: readonly string[]): string[] {
  const lacking = wanted.filter((name) => !own.includes(name)).sort()
  const besides = own.filter((name) => !wanted.includes(name)).sort()
  return [...lacking.map((name) => `-${what} ${name}`), ...besides.map((name) => `+${what} ${name}`)]
}
