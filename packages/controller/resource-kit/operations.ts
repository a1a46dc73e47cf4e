/**
 * From declarations to operations: list, create, detail, PUT, PATCH, delete, sub-lists and actions, the same for all.
 */
import { notFound } from '../operation/api-error.ts'
import { created, empty, writtenData } from '../operation/envelope.ts'
import { type Access, type Action, type Call, listParameters, type Operation } from '../operation/operation.ts'
import type { Row } from '../state/row.ts'
import type { View } from '../state/view.ts'
import { bodyContract, type Decoded, type FieldContract, merged, type WriteVerb } from './body-contracts.ts'
import type { Kit } from './kit.ts'
import { Lister } from './lists.ts'
import { type ActionKit, allVerbs, type Resource, type ResourceAction, type Verb } from './resource.ts'

/** The operations of every resource. */
export function resourceOperations(kit: Kit): Operation[] {
  const listers = new Map<string, Lister>()
  for (const resource of kit.registry.resources.values()) listers.set(resource.collection, new Lister(kit, resource))
  const operations: Operation[] = []
  for (const resource of kit.registry.resources.values()) {
    operations.push(...new Mounted(kit, resource, listers).operations())
  }
  return operations
}

class Mounted {
  readonly #kit: Kit
  readonly #resource: Resource
  readonly #listers: ReadonlyMap<string, Lister>

  constructor(kit: Kit, resource: Resource, listers: ReadonlyMap<string, Lister>) {
    this.#kit = kit
    this.#resource = resource
    this.#listers = listers
  }

  operations(): Operation[] {
    const verbs = this.#resource.verbs ?? allVerbs
    return [...verbs.map((verb) => this.#verb(verb)), ...this.#sublists(), ...this.#actions()]
  }

  #verb(verb: Verb): Operation {
    const { collection, listParameters: own = [] } = this.#resource
    const item = `/${collection}/{id}`
    const base = { operationId: this.#operationId(verb) }
    switch (verb) {
      case 'list': {
        const lister = this.#listers.get(collection)!
        const parameters = [...listParameters, ...own]
        const access = this.#access('read')
        return {
          ...base,
          method: 'GET',
          path: `/${collection}`,
          access,
          parameters,
          handle: (call) => lister.all(call),
        }
      }
      case 'create':
        return {
          ...base,
          method: 'POST',
          path: `/${collection}`,
          access: this.#access('create'),
          body: this.#contract('create'),
          handle: (call: Call<Decoded>) => this.#create(call),
        }
      case 'detail':
        return {
          ...base,
          method: 'GET',
          path: item,
          access: this.#access('read'),
          handle: (call) => this.#detail(call),
        }
      case 'update':
      case 'patch':
        return {
          ...base,
          method: verb === 'update' ? 'PUT' : 'PATCH',
          path: item,
          access: this.#access('update'),
          body: this.#contract(verb),
          handle: (call: Call<Decoded>) => this.#change(call, verb),
        }
      case 'delete':
        return {
          ...base,
          method: 'DELETE',
          path: item,
          access: this.#access('delete'),
          handle: (call) => this.#delete(call),
        }
    }
  }

  async #create(call: Call<Decoded>) {
    const { table, collection, guard, idKind, initial } = this.#resource
    guard?.(call.caller, 'create', undefined, call.body, this.#kit.view)
    const options = idKind === undefined ? {} : { idKind }
    const values = { ...call.body, ...initial }
    const row = await this.#kit.write(call, (change) => change.create(table, values, options) as Row)
    return created(collection, row.id)
  }

  #detail(call: Call) {
    const { caller } = call
    const row = this.#row(call)
    this.#resource.guard?.(caller, 'read', row, {}, this.#kit.view)
    if (this.#resource.isVisible?.(row, caller, this.#kit.view) === false)
      throw notFound(this.#resource.singular, row.id)
    const rendering = this.#kit.rendering(call, 'detail')
    return writtenData(this.#kit.renderer.text(this.#resource, row, rendering), () =>
      this.#kit.renderer.record(this.#resource, row, rendering),
    )
  }

  async #change(call: Call<Decoded>, verb: 'update' | 'patch') {
    const { table, fields, guard } = this.#resource
    const id = call.params['id']!
    await this.#kit.write(call, (change) => {
      const before = this.#rowIn(change.view.get(table, id) as Row | undefined, id)
      guard?.(call.caller, 'update', before, call.body, change.view)
      const values = before as unknown as Decoded
      change.update(table, id, verb === 'patch' ? merged(fields, values, call.body) : call.body)
    })
    return empty
  }

  async #delete(call: Call) {
    const { table, guard, singular, singularOnDelete = singular } = this.#resource
    const id = call.params['id']!
    await this.#kit.write(call, (change) => {
      const before = this.#rowIn(change.view.get(table, id) as Row | undefined, id, singularOnDelete)
      guard?.(call.caller, 'delete', before, {}, change.view)
      change.remove(table, id)
    })
    return empty
  }

  *#sublists(): Generator<Operation> {
    for (const [path, sublist] of Object.entries(this.#resource.sublists ?? {})) {
      const lister = this.#listers.get(sublist.of)!
      const { permission } = this.#kit.registry.resource(sublist.of)
      yield {
        operationId: sublist.operationId,
        method: 'GET',
        path: `/${this.#resource.collection}/{id}/${path}`,
        access: accessTo(permission, 'read'),
        ...(sublist.parameters === undefined ? {} : { parameters: sublist.parameters }),
        handle: (call) => lister.some(call, sublist.ids(call.params['id']!, this.#kit.view, call)),
      }
    }
  }

  *#actions(): Generator<Operation> {
    for (const action of this.#resource.actions ?? []) {
      const { method, operationId, needs } = action
      yield {
        operationId,
        method,
        path: `/${this.#resource.collection}${action.path}`,
        access: isAction(needs) ? this.#access(needs) : needs,
        ...(action.body === undefined ? {} : { body: action.body }),
        ...(action.parameters === undefined ? {} : { parameters: action.parameters }),
        ...(action.produces === undefined ? {} : { produces: action.produces }),
        ...(action.status === undefined ? {} : { status: action.status }),
        handle: (call) => action.run(call, this.#actionKit(call, action)),
      }
    }
  }

  #actionKit(call: Call, action: ResourceAction<Row>): ActionKit<Row> {
    const kit = this.#kit
    return {
      view: kit.view,
      row: (view) => {
        const row = this.#row(call, view)
        if (isAction(action.needs)) this.#resource.guard?.(call.caller, action.needs, row, {}, view ?? kit.view)
        return row
      },
      write: (mutate) => kit.write(call, mutate),
      render: (collection, row, place) => kit.record(collection, row, call, place),
      reference: (collection, id) => kit.reference(collection, id),
    }
  }

  #row(call: Call, view: View = this.#kit.view): Row {
    const id = call.params['id']!
    return this.#rowIn(view.get(this.#resource.table, id) as Row | undefined, id)
  }

  #rowIn(row: Row | undefined, id: string, singular = this.#resource.singular): Row {
    if (row === undefined || this.#resource.includes?.(row) === false) throw notFound(singular, id)
    return row
  }

  #access(action: Action): Access {
    return accessTo(this.#resource.permission, action)
  }

  #contract(verb: WriteVerb): FieldContract {
    const { bodyName, singular, fields } = this.#resource
    return bodyContract(bodyName ?? singular, fields, verb)
  }

  /** `listServices`, `createService`, …: from the collection's and the singular's names. */
  #operationId(verb: Verb): string {
    const { operationIds, collection, singular } = this.#resource
    if (operationIds?.[verb] !== undefined) return operationIds[verb]
    const one = singular[0]!.toUpperCase() + singular.slice(1)
    if (verb !== 'list') return `${verb}${one}`
    return `list${collection
      .split('-')
      .map((word) => word[0]!.toUpperCase() + word.slice(1))
      .join('')}`
  }
}

function accessTo(permission: string, action: Action): Access {
  return permission === 'admin' ? 'admin' : { entity: permission, action }
}

function isAction(needs: Action | Access): needs is Action {
  return needs === 'read' || needs === 'create' || needs === 'update' || needs === 'delete'
}
