/** Invitations to enroll, and identities that follow them with the `weft` command. */
import { writeFile } from 'node:fs/promises'
import type { ApiClient } from './api-client.ts'
import { weftSays } from './weft-command.ts'

/** Who is invited, and the token. */
export interface Invitation {
  readonly id: string
  readonly jwt: string
}

/** Invites a new identity. */
export async function invited(api: ApiClient, name: string): Promise<Invitation> {
  const id = await api.create('identities', { name, type: 'Default', isAdmin: false, enrollment: { ott: true } })
  const { enrollment } = (await api.detail(`/identities/${id}`)) as { enrollment: { ott: { jwt: string } } }
  return { id, jwt: enrollment.ott.jwt }
}

/** Invites a new edge router. */
export async function invitedRouter(api: ApiClient, name: string): Promise<Invitation> {
  const id = await api.create('edge-routers', { name, isTunnelerEnabled: false })
  const { enrollmentJwt } = (await api.detail(`/edge-routers/${id}`)) as { enrollmentJwt: string }
  return { id, jwt: enrollmentJwt }
}

/** Makes an identity that enrolls into a file, and answers its id. */
export async function enrolledInto(file: string, api: ApiClient, name: string): Promise<string> {
  const { id, jwt } = await invited(api, name)
  await writeFile(`${file}.jwt`, jwt)
  await weftSays('enroll', `${file}.jwt`, '-o', file)
  return id
}
