/**
 * The router data model: what a router must know to decide on its own who may dial and host what.
 *
 * It comes as a whole or as what one transaction changed, in both cases as a list of events, and is kept as tables with
 * the two look-ups that access needs: the policies of an identity, and those of a service. Membership comes only from
 * policy changes; a member that is deleted leaves its policies with it.
 */
import type {
  ChangeSet,
  DataConfig,
  DataConfigType,
  DataEvent,
  DataIdentity,
  DataPostureCheck,
  DataPublicKey,
  DataRevocation,
  DataRouter,
  DataService,
  DataServicePolicy,
  DataServicePolicyChange,
  DataState,
} from '@weft/wire/messages'
import { MemberSets } from './member-sets.ts'

/** The tables, by the names of the events. */
export interface DataTables {
  readonly configType: ReadonlyMap<string, DataConfigType>
  readonly config: ReadonlyMap<string, DataConfig>
  readonly identity: ReadonlyMap<string, DataIdentity>
  readonly service: ReadonlyMap<string, DataService>
  readonly router: ReadonlyMap<string, DataRouter>
  readonly servicePolicy: ReadonlyMap<string, DataServicePolicy>
  readonly postureCheck: ReadonlyMap<string, DataPostureCheck>
  readonly publicKey: ReadonlyMap<string, DataPublicKey>
  readonly revocation: ReadonlyMap<string, DataRevocation>
}

export type DataTableName = keyof DataTables
type Row = DataTables[DataTableName] extends ReadonlyMap<string, infer R> ? R : never
type Model = NonNullable<DataEvent['model']>
type Entity = Exclude<Model, { readonly kind: 'servicePolicyChange' }>

/** What members of a policy are. */
export const memberKinds = ['service', 'identity', 'postureCheck'] as const
export type MemberKind = (typeof memberKinds)[number]

const memberKindOf: Readonly<Record<string | number, MemberKind | undefined>> = {
  RelatedService: 'service',
  RelatedIdentity: 'identity',
  RelatedPostureCheck: 'postureCheck',
}

export interface DataModelOptions {
  /** The router whose copy it is: configs that it loses are dropped. */
  readonly routerId?: string
}

export class DataModel {
  /** The journal index of the newest change; zero for a model that is empty. */
  index = 0
  /** Names the history that the index counts in. */
  timelineId = ''
  readonly members: Readonly<Record<MemberKind, MemberSets>> = {
    service: new MemberSets(),
    identity: new MemberSets(),
    postureCheck: new MemberSets(),
  }
  readonly #routerId: string | undefined
  readonly #tables: { readonly [K in DataTableName]: Map<string, Row> } = {
    configType: new Map(),
    config: new Map(),
    identity: new Map(),
    service: new Map(),
    router: new Map(),
    servicePolicy: new Map(),
    postureCheck: new Map(),
    publicKey: new Map(),
    revocation: new Map(),
  }

  constructor(options: DataModelOptions = {}) {
    this.#routerId = options.routerId
  }

  /** A model of a whole state. */
  static of(state: Pick<DataState, 'events' | 'endIndex' | 'timelineId'>, options?: DataModelOptions): DataModel {
    const model = new DataModel(options)
    for (const event of state.events) model.#apply(event)
    model.index = state.endIndex
    model.timelineId = state.timelineId
    return model
  }

  get tables(): DataTables {
    return this.#tables as unknown as DataTables
  }

  /** Takes in a change, whatever it follows on; a synthetic one does not move the index. */
  take(set: Pick<ChangeSet, 'index' | 'isSynthetic' | 'changes'>): void {
    for (const event of set.changes) this.#apply(event)
    if (!set.isSynthetic) this.index = set.index
  }

  #apply({ action, model }: DataEvent): void {
    if (model === undefined) return
    if (model.kind === 'servicePolicyChange') this.#changeMembers(model.value)
    else this.#changeEntity(action, model)
  }

  #changeEntity(action: DataEvent['action'], { kind, value }: Entity): void {
    const id = kind === 'publicKey' ? value.kid : value.id
    if (action === 'Delete') {
      this.#tables[kind].delete(id)
      if (kind === 'servicePolicy') for (const each of memberKinds) this.members[each].removePolicy(id)
      else if (isMemberKind(kind)) this.members[kind].removeMember(id)
      return
    }
    if (kind === 'router' && id === this.#routerId) this.#dropLostConfigs(value)
    this.#tables[kind].set(id, value)
  }

  #changeMembers({ policyId, relatedEntityIds, relatedEntityType, add }: DataServicePolicyChange): void {
    const kind = memberKindOf[relatedEntityType]
    if (kind === undefined || !this.#tables.servicePolicy.has(policyId)) return
    const members = this.members[kind]
    for (const id of relatedEntityIds) {
      if (add) members.add(policyId, id)
      else members.remove(policyId, id)
    }
  }

  /** Nobody says that a config for routers is gone from this one; that it is no longer among its own does. */
  #dropLostConfigs({ id, configs }: DataRouter): void {
    const { router, config, configType } = this.tables
    const kept = new Set(configs)
    for (const lost of router.get(id)?.configs ?? []) {
      const typeId = config.get(lost)?.typeId
      const isForRouters = typeId !== undefined && configType.get(typeId)?.target === 'router'
      if (!kept.has(lost) && isForRouters) this.#tables.config.delete(lost)
    }
  }
}

function isMemberKind(kind: string): kind is MemberKind {
  return (memberKinds as readonly string[]).includes(kind)
}
