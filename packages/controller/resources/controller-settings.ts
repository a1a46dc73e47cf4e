/**
 * Controller settings: what an operator changes while controllers run.
 *
 * Settings under `default` hold for all controllers; those under a controller's id hold for that one. Each leaf counts by
 * itself: one that a controller's own settings name replaces the default's, one they leave out is the default's.
 */
import { fieldError, notFound } from '../operation/api-error.ts'
import { answerData, created, empty } from '../operation/envelope.ts'
import type { Call } from '../operation/operation.ts'
import { bodyContract, type Decoded, merged } from '../resource-kit/body-contracts.ts'
import type { Change } from '../resource-kit/change.ts'
import { defineFields, optionalObject, optionalReference, type RowOf, text } from '../resource-kit/fields.ts'
import { type ActionKit, defineResource } from '../resource-kit/resource.ts'
import { listShape, type MembersOf, optional, textShape } from '../resource-kit/shapes.ts'
import type { Row } from '../state/row.ts'
import type { View } from '../state/view.ts'

/** The id of the settings that hold for all. */
export const defaultSettingsId = 'default'
/** Another name of the same, by which the API's specification calls them. */
const GLOBAL = 'global'

const uris = listShape(textShape({ max: 2_048 }), { max: 1_000 })
const oidcMembers = { redirectUris: optional(uris), postLogoutUris: optional(uris) }

type OidcSettings = Partial<MembersOf<typeof oidcMembers>>

const fields = defineFields({
  oidc: optionalObject(oidcMembers, { shown: 'when set', holds: leadSomewhere }),
  /** Null for the default. */
  controllerId: optionalReference('controllers', { setBy: 'server', onTargetDeleted: 'cascade', shown: 'never' }),
})

export type ControllerSetting = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    controllerSettings: ControllerSetting
  }
}

const createFields = { ...fields, controllerId: text({ required: 'on create' }) }

const path = '/{id}/effective'

export const controllerSettings = defineResource({
  collection: 'controller-settings',
  singular: 'controllerSetting',
  table: 'controllerSettings',
  permission: 'controller-settings',
  fields,
  verbs: ['list'],
  actions: [
    {
      method: 'POST',
      path: '',
      operationId: 'createControllerSetting',
      needs: 'create',
      body: bodyContract('controllerSetting', createFields, 'create'),
      async run({ body }: Call<NewSettings>, kit) {
        const { id } = await kit.write((change) => create(change, body))
        return created('controller-settings', id)
      },
    },
    {
      method: 'GET',
      path: '/{id}',
      operationId: 'detailControllerSetting',
      needs: 'read',
      run: (call, kit) => answerData(kit.render('controller-settings', settings(kit.view, idOf(call)))),
    },
    {
      method: 'GET',
      path,
      operationId: 'detailControllerSettingEffective',
      needs: 'read',
      run: (call, kit) => answerData(effectiveRecord(idOf(call), kit)),
    },
    {
      method: 'PUT',
      path,
      operationId: 'updateControllerSetting',
      needs: 'update',
      body: bodyContract('controllerSetting', fields, 'update'),
      async run(call: Call<Decoded>, kit) {
        await kit.write((change) => {
          const { id } = settings(change.view, idOf(call))
          change.update('controllerSettings', id, call.body)
        })
        return empty
      },
    },
    {
      method: 'PATCH',
      path,
      operationId: 'patchControllerSetting',
      needs: 'update',
      body: bodyContract('controllerSetting', fields, 'patch'),
      async run(call: Call<Decoded>, kit) {
        await kit.write((change) => {
          const before = settings(change.view, idOf(call))
          change.update('controllerSettings', before.id, merged(fields, before as unknown as Decoded, call.body))
        })
        return empty
      },
    },
    {
      method: 'DELETE',
      path,
      operationId: 'deleteControllerSetting',
      needs: 'delete',
      async run(call, kit) {
        await kit.write((change) => {
          const { id } = settings(change.view, idOf(call))
          change.remove('controllerSettings', id)
        })
        return empty
      },
    },
  ],
})

/** What holds for a controller: its own settings over those for all, leaf by leaf. */
export function effectiveOidcSettings(view: View, controllerId: string): OidcSettings {
  const general = view.get('controllerSettings', defaultSettingsId)?.oidc
  const own = view.get('controllerSettings', controllerId)?.oidc
  return { ...named(general), ...named(own) }
}

/** Only what is there: a leaf that is undefined would hide the default's. */
function named(oidc: OidcSettings | null | undefined): OidcSettings {
  return Object.fromEntries(Object.entries(oidc ?? {}).filter(([, value]) => value !== undefined))
}

interface NewSettings extends Readonly<Record<string, unknown>> {
  readonly controllerId: string
}

function create(change: Change, { controllerId, ...values }: NewSettings): ControllerSetting {
  const id = controllerId === GLOBAL ? defaultSettingsId : controllerId
  if (id !== defaultSettingsId && change.view.get('controllers', id) === undefined) throw notFound('controller', id)
  if (change.view.get('controllerSettings', id) !== undefined) {
    throw fieldError('controllerId', 'this controller has settings already, update those', controllerId)
  }
  const owner = id === defaultSettingsId ? null : id
  return change.create('controllerSettings', { ...values, controllerId: owner }, { id })
}

function idOf(call: Call): string {
  const id = call.params['id']!
  return id === GLOBAL ? defaultSettingsId : id
}

function settings(view: View, id: string): ControllerSetting {
  const row = view.get('controllerSettings', id)
  if (row === undefined) throw notFound('controllerSetting', id)
  return row
}

/** A controller without settings of its own has effective ones all the same. */
function effectiveRecord(id: string, { view, render }: ActionKit<ControllerSetting>) {
  const row: Row | undefined = view.get('controllerSettings', id) ?? view.get('controllers', id)
  if (row === undefined) throw notFound('controllerSetting', id)
  const { oidc = null, ...base } = { ...(render('controller-settings', row) as { readonly oidc?: OidcSettings }) }
  const effective = effectiveOidcSettings(view, id)
  return { ...base, instance: wrapped(named(oidc)), effective: wrapped(effective) }
}

function wrapped(oidc: OidcSettings) {
  return Object.keys(oidc).length === 0 ? {} : { oidc }
}

/** Wildcard ports are allowed, as in the configuration file, so these are not always URLs in the strict sense. */
const PLACE = /^([a-z][a-z0-9+.-]*):\/\/[^\s#]+$/i
const harmful = new Set(['javascript', 'data', 'vbscript'])

function leadSomewhere(oidc: OidcSettings | null, at: string): void {
  for (const [member, list] of Object.entries(named(oidc))) {
    for (const uri of list) {
      const scheme = PLACE.exec(uri)?.[1]?.toLowerCase()
      if (scheme !== undefined && !harmful.has(scheme)) continue
      throw fieldError(`${at}.${member}`, 'must be an absolute URI without a fragment', uri)
    }
  }
}
