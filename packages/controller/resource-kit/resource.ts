/**
 * What a resource is: one declaration, read from top to bottom.
 *
 * Fields say what it holds; `rules` what must hold on every write, `follow` what else changes with it, `live` what is shown
 * besides its fields, `sublists` and `actions` what else can be asked. The kit never asks which resource it serves, and a
 * resource never asks which verb is running: `next` and `before` say it all.
 */

import type { Caller } from '../operation/caller.ts'
import type { Access, Action, Answer, BodyContract, Call, Method, QueryParameter } from '../operation/operation.ts'
import type { FilterSymbol } from '../query/symbol.ts'
import type { Row, TableName } from '../state/row.ts'
import type { View } from '../state/view.ts'
import type { Change } from './change.ts'
import type { EntityReference } from './entity-reference.ts'
import type { AnyFields, RowOf } from './fields.ts'
import type { IdKind } from './ids.ts'

/** Where a record is being shown: some members differ between a list, a detail and a list below another entity. */
export type Place = 'list' | 'detail' | 'sublist'

/** What rendering may look at. */
export interface Rendering {
  readonly view: View
  readonly call: Call
  readonly caller: Caller
  readonly place: Place
  /** Wall time of the request, for what depends on it. */
  readonly now: string
  /** A reference to another entity; undefined when it is not there. */
  reference(collection: string, id: string): EntityReference | undefined
}

/** Something that must hold; throws the refusal. Run on every create and every update, by whatever path. */
export type Rule<R> = (next: R, before: R | undefined, change: Change) => void

/** Further changes in the same transaction; `next` is undefined on delete, `before` on create. */
export type Follow<R> = (change: Change, next: R | undefined, before: R | undefined) => void

/** A member that is computed when shown; undefined leaves it out. */
export type Live<R> = (row: R, rendering: Rendering) => unknown

export interface Sublist {
  /** The collection whose records are listed; its read permission is the one needed. */
  readonly of: string
  /** The ids listed. Of an unknown parent there are none. */
  readonly ids: (id: string, view: View, call: Call) => Iterable<string>
  readonly operationId: string
  /** Shown among the record's `_links`. */
  readonly isLinked?: boolean
  readonly parameters?: readonly QueryParameter[]
}

export interface ResourceAction<R> {
  readonly method: Method
  /** Below the collection, `/{id}/re-enroll` for example. */
  readonly path: string
  readonly operationId: string
  /** What it does to the resource, or who may call when that is not a matter of this resource's grants. */
  readonly needs: Action | Access
  readonly body?: BodyContract
  readonly parameters?: readonly QueryParameter[]
  readonly produces?: readonly string[]
  /** Of a successful answer, as in `Operation`. */
  readonly status?: number
  readonly run: (call: Call<never>, kit: ActionKit<R>) => Answer | Promise<Answer>
}

/** What an action may use. */
export interface ActionKit<R> {
  readonly view: View
  /** The row of `{id}`, now or as a mutation sees it; throws not found. The guard, if there is one, has passed. */
  row(view?: View): R
  /** Runs a mutation as the caller; answers when it is durable. */
  write<T>(mutate: (change: Change) => T): Promise<T>
  render(collection: string, row: Row, place?: Place): unknown
  reference(collection: string, id: string): EntityReference | undefined
}

export type Verb = 'list' | 'create' | 'detail' | 'update' | 'patch' | 'delete'

export interface ResourceDeclaration<F extends AnyFields, R extends Row = RowOf<F> & Row> {
  /** The path, and the name in links and entity references. */
  readonly collection: string
  /** The name of one, as refusals word it. */
  readonly singular: string
  /** The table it lives in. Resources that share one must share its fields too. */
  readonly table: TableName
  /** The entity of the permission table, or `admin` where no grant is enough. */
  readonly permission: string
  readonly idKind?: IdKind
  readonly fields: F
  /** Of a shared table: what rows made by this resource hold besides what the body says. */
  readonly initial?: Readonly<Record<string, unknown>>
  /** Of a shared table: which rows this resource shows. Others are not found. */
  readonly includes?: (row: R) => boolean
  readonly verbs?: readonly Verb[]
  /** operationIds, when they do not follow from the singular. */
  readonly operationIds?: Partial<Record<Verb, string>>
  /** The name by which a delete that finds nothing calls it, when it is not the singular. */
  readonly singularOnDelete?: string
  /** The body's name in parse errors, when it is not the singular. */
  readonly bodyName?: string
  readonly rules?: readonly Rule<R>[]
  readonly follow?: readonly Follow<R>[]
  readonly live?: Readonly<Record<string, Live<R>>>
  readonly links?: (row: R) => Readonly<Record<string, string>>
  readonly sublists?: Readonly<Record<string, Sublist>>
  readonly actions?: readonly ResourceAction<R>[]
  /** Filter symbols beyond those of the fields. */
  readonly symbols?: Readonly<Record<string, FilterSymbol<R, Rendering>>>
  /** Refuses what a caller's grants allow in general but not on this row. */
  readonly guard?: (
    caller: Caller,
    action: Action,
    before: R | undefined,
    body: Readonly<Record<string, unknown>>,
    view: View,
  ) => void
  /** Rows a caller may not even see. */
  readonly isVisible?: (row: R, caller: Caller, view: View) => boolean
  /** A further condition from the query string of the list (`roleFilter`, `asIdentity`, …). */
  readonly narrow?: (call: Call, view: View) => ReadonlySet<string> | undefined
  readonly listParameters?: readonly QueryParameter[]
  /** The content type of lists, where the peers send another than of everything else. */
  readonly listContentType?: string
}

/** A declaration the kit can work with, its row type put aside. */
export type Resource = ResourceDeclaration<AnyFields, Row>

export const allVerbs: readonly Verb[] = ['list', 'create', 'detail', 'update', 'patch', 'delete']

export function defineResource<F extends Readonly<Record<string, unknown>>>(
  declaration: ResourceDeclaration<F & AnyFields, RowOf<F> & Row>,
): Resource {
  return declaration as unknown as Resource
}
