/** A controller of ours, its administrator logged in, and the program on the Go SDK that calls it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiClient, type Json } from '../kit/api-client.ts'
import { ControllerProcess } from '../kit/controller-process.ts'
import { type TemporaryFolder, temporaryFolder } from '../kit/temporary-folder.ts'
import { SdkClient } from './sdk-client.ts'

/** The kinds of session that the SDK can be told to ask for. */
export const sessionKinds = ['legacy', 'oidc'] as const

export type SessionKind = (typeof sessionKinds)[number]

/** An identity that the program acts for: its id, and the flags by which it calls. */
export interface Caller {
  readonly id: string
  readonly flags: readonly string[]
}

export class InteropNetwork implements AsyncDisposable {
  readonly client: SdkClient
  readonly controller: ControllerProcess
  readonly admin: ApiClient
  readonly #folder: TemporaryFolder

  private constructor(parts: Pick<InteropNetwork, 'client' | 'controller' | 'admin'>, folder: TemporaryFolder) {
    this.client = parts.client
    this.controller = parts.controller
    this.admin = parts.admin
    this.#folder = folder
  }

  /** Starts everything and builds what a test needs; when that fails, nothing is left behind. */
  static async start(build?: (network: InteropNetwork) => Promise<void>): Promise<InteropNetwork> {
    await using made = new AsyncDisposableStack()
    const folder = made.use(await temporaryFolder('interop'))
    const client = made.use(await SdkClient.build())
    const controller = made.use(await ControllerProcess.start())
    const admin = made.use(await ApiClient.login(controller))
    const network = new InteropNetwork({ client, controller, admin }, folder)
    await build?.(network)
    made.move()
    return network
  }

  /** Writes a file for the program to read, and answers where it lies. */
  async write(name: string, content: string): Promise<string> {
    const file = join(this.#folder.path, name)
    await writeFile(file, content)
    return file
  }

  /** An identity with the role `users`. */
  createUser(name: string, more: Json = {}): Promise<string> {
    const body = { name, type: 'Default', isAdmin: false, roleAttributes: ['users'], ...more }
    return this.admin.create('identities', body)
  }

  createAuthPolicy(name: string, primary: Json, secondary: Json): Promise<string> {
    return this.admin.create('auth-policies', { name, primary, secondary })
  }

  /** The file with the open invitation of an identity. */
  async invitation(identityId: string): Promise<string> {
    const { enrollment } = await this.admin.detail(`/identities/${identityId}`)
    const [open] = Object.values(enrollment as Record<string, { jwt: string }>)
    return this.write(`${identityId}.jwt`, open!.jwt)
  }

  /** Enrolls by an invitation, and answers where the identity file lies. */
  async enroll(invitation: string, ...flags: readonly string[]): Promise<string> {
    const out = `${invitation}.json`
    await this.client.tells(['enroll', '--invitation', invitation, '--out', out, ...flags])
    return out
  }

  /** A user with a certificate of the network. */
  async certifiedUser(name: string, more: Json = {}): Promise<Caller> {
    const id = await this.createUser(name, { enrollment: { ott: true }, ...more })
    return { id, flags: ['--identity', await this.enroll(await this.invitation(id))] }
  }

  /** The flags of a caller without an identity file. */
  without(...credential: readonly string[]): readonly string[] {
    const { home, url } = this.controller
    return ['--api', `${url}/edge/client/v1`, '--ca', join(home, 'pki', 'cas.pem'), ...credential]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.admin[Symbol.dispose]()
    await this.controller[Symbol.asyncDispose]()
    await this.client[Symbol.asyncDispose]()
    await this.#folder[Symbol.asyncDispose]()
  }
}
