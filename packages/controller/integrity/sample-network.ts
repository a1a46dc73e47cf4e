/**
 * A small network of made-up resources on a real store, for tests that damage it.
 *
 * Groups have members, members have keys; a key is a secret. Rules select members. Between them they have every kind of
 * reference there is.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../clock.ts'
import { Core } from '../core/core.ts'
import { Snapshots } from '../core/snapshots.ts'
import { silentLogger } from '../log/logger.ts'
import {
  defineFields,
  optionalReference,
  optionalText,
  reference,
  references,
  roleAttributes,
  roles,
  text,
  uniqueName,
} from '../resource-kit/fields.ts'
import { defineResource } from '../resource-kit/resource.ts'
import type { TableName } from '../state/row.ts'
import { IntegrityRuns } from './integrity-runs.ts'

export const groups = 'groups' as TableName
export const members = 'members' as TableName
export const keys = 'keys' as TableName
export const rules = 'rules' as TableName

const reason = () => 'is taken'

const resources = [
  defineResource({
    collection: 'groups',
    singular: 'group',
    table: groups,
    permission: 'group',
    fields: defineFields({ name: uniqueName() }),
  }),
  defineResource({
    collection: 'members',
    singular: 'member',
    table: members,
    permission: 'member',
    fields: defineFields({
      name: uniqueName(),
      nickname: optionalText({ unique: { reason } }),
      groupId: reference('groups', { onTargetDeleted: 'refuse', default: 'everyone' }),
      friendIds: references('members', { onTargetDeleted: 'unlink' }),
      mentorId: optionalReference('members', { onTargetDeleted: 'refuse' }),
      roleAttributes: roleAttributes(),
    }),
  }),
  defineResource({
    collection: 'keys',
    singular: 'key',
    table: keys,
    permission: 'key',
    fields: defineFields({
      memberId: reference('members', { onTargetDeleted: 'cascade' }),
      secret: text({ setBy: 'server', isSecret: true, unique: { reason } }),
    }),
  }),
  defineResource({
    collection: 'rules',
    singular: 'rule',
    table: rules,
    permission: 'rule',
    fields: defineFields({ name: uniqueName(), memberRoles: roles('members') }),
  }),
]

export class SampleNetwork implements AsyncDisposable {
  readonly folder: string
  readonly file: string
  readonly core: Core
  readonly integrity: IntegrityRuns

  private constructor(folder: string, core: Core) {
    const { store } = core
    this.folder = folder
    this.file = join(folder, 'network.db')
    this.core = core
    const snapshots = new Snapshots({ store, clock: systemClock }, { databaseFile: this.file })
    this.integrity = new IntegrityRuns({ ...core, snapshots, clock: systemClock, log: silentLogger })
  }

  static async open(folder: string): Promise<SampleNetwork> {
    const onFailure = (error: unknown) => {
      throw error
    }
    const deps = { clock: systemClock, log: silentLogger, onFailure }
    return new SampleNetwork(folder, await Core.open(deps, { databaseFile: join(folder, 'network.db'), resources }))
  }

  /** Two groups, three members, a key for each, and a rule. */
  async populate(): Promise<void> {
    await this.core.kit.writeAsController((change) => {
      for (const name of ['everyone', 'crew']) change.create(groups, { name }, { id: name })
      const people = { ada: {}, bob: { friendIds: ['ada'], mentorId: 'ada' }, eve: { friendIds: ['ada', 'bob'] } }
      for (const [name, more] of Object.entries(people)) {
        change.create(members, { name, nickname: `${name}!`, groupId: 'crew', ...more }, { id: name })
      }
      for (const name of Object.keys(people)) {
        change.create(keys, { memberId: name, secret: `secret of ${name}` }, { id: `key-${name}` })
      }
      change.create(rules, { name: 'first', memberRoles: ['@ada', '@bob', '#all-of-them'] }, { id: 'first' })
    })
  }

  get(table: TableName, id: string): Readonly<Record<string, unknown>> | undefined {
    return this.core.kit.view.get(table, id) as unknown as Readonly<Record<string, unknown>> | undefined
  }

  /** What a check finds now, in words. */
  async check(): Promise<string[]> {
    this.integrity.start('check')
    await this.integrity.finished()
    return this.#outcome().map(({ description }) => description)
  }

  /** What a run that mends found, and whether it mended it. */
  async fix(): Promise<Record<string, boolean>> {
    this.integrity.start('fix')
    await this.integrity.finished()
    return Object.fromEntries(this.#outcome().map(({ description, fixed }) => [description, fixed]))
  }

  #outcome() {
    const { report } = this.integrity
    if (report.error !== null) throw new Error(report.error)
    return report.results
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.integrity[Symbol.asyncDispose]()
    await this.core[Symbol.asyncDispose]()
  }
}

/** A folder for one test. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'weft-integrity-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Changes the file of a network as another program would. */
export function damage(folder: string, ...statements: readonly string[]): void {
  using db = new DatabaseSync(join(folder, 'network.db'))
  for (const sql of statements) db.exec(sql)
}

/** A network that was populated, closed, damaged and opened again. */
export async function damagedNetwork(folder: string, ...statements: readonly string[]): Promise<SampleNetwork> {
  {
    await using network = await SampleNetwork.open(folder)
    await network.populate()
  }
  damage(folder, ...statements)
  return SampleNetwork.open(folder)
}
