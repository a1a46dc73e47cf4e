/** Rows and symbols for the tests of this folder: services with configs, as a list of the API would hand them over. */
import type { FilterSymbol, SymbolTable, Value } from './symbol.ts'

export interface Service {
  readonly id: string
  readonly name: string | null
  readonly createdAt: string | null
  readonly isSystem: boolean | null
  readonly isFabricOnly: boolean | null
  readonly terminatorStrategy: string | null
  readonly cost: number | null
  readonly ratio: number | null
  readonly roleAttributes: readonly string[]
  readonly configs: readonly string[]
  readonly tags: Readonly<Record<string, Value>>
}

/** What the rows are read with: where configs are found. */
export interface Directory {
  readonly configs: ReadonlyMap<string, Service>
}

export const emptyDirectory: Directory = { configs: new Map() }

/** A service with everything missing that is not given. */
export function service(fields: Partial<Service> & { readonly id: string }): Service {
  return {
    name: null,
    createdAt: null,
    isSystem: null,
    isFabricOnly: null,
    terminatorStrategy: null,
    cost: null,
    ratio: null,
    roleAttributes: [],
    configs: [],
    tags: {},
    ...fields,
  }
}

type ServiceSymbol = FilterSymbol<Service, Directory>

const shared: [string, ServiceSymbol][] = [
  ['id', { type: 'string', value: (row) => row.id, index: 'id' }],
  ['name', { type: 'string', value: (row) => row.name, index: 'name' }],
  ['createdAt', { type: 'datetime', value: (row) => row.createdAt }],
  ['isSystem', { type: 'bool', value: (row) => row.isSystem }],
]

function tag(row: Service, key: string): Value {
  return Object.hasOwn(row.tags, key) ? row.tags[key]! : null
}

export const configTable: SymbolTable<Service, Directory> = {
  symbols: new Map([...shared, ['type', { type: 'string', value: () => 'host' }]]),
  tag,
}

export const serviceTable: SymbolTable<Service, Directory> = {
  symbols: new Map<string, ServiceSymbol>([
    ...shared,
    ['isFabricOnly', { type: 'bool', value: (row) => row.isFabricOnly }],
    ['terminatorStrategy', { type: 'string', value: (row) => row.terminatorStrategy }],
    ['cost', { type: 'int64', value: (row) => row.cost }],
    ['ratio', { type: 'float64', value: (row) => row.ratio }],
    ['roleAttributes', { type: 'string', elements: (row) => row.roleAttributes, index: 'roleAttributes' }],
    [
      'configs',
      {
        type: 'string',
        elements: (row) => row.configs,
        linked: (id, { configs }) => configs.get(id),
        linkedTable: () => configTable,
      },
    ],
    ['service.name', { type: 'string', value: (row) => row.name, isSortable: false }],
    ['ctrlChanListeners', { type: 'other', value: () => null }],
  ]),
  tag,
}
