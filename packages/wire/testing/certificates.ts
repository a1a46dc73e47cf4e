/** Certificates for tests: made once, valid for decades, trusted by nothing else. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientMaterial, KeyedChain, ServerMaterial } from '../transport/tls-settings.ts'

interface TestCertificates {
  readonly caPem: string
  readonly otherCaPem: string
  readonly server: KeyedChain
  readonly renewedServer: KeyedChain
  readonly namedServer: KeyedChain
  readonly client: KeyedChain
  readonly otherClient: KeyedChain
  readonly strangerServer: KeyedChain
}

const file = join(import.meta.dirname, '../../../testdata/wire/certificates.json')

export const certificates: TestCertificates = JSON.parse(readFileSync(file, 'utf8'))

/** For `localhost` and the loopback addresses. */
export const serverMaterial: ServerMaterial = { servers: [certificates.server] }

export const clientMaterial: ClientMaterial = { client: certificates.client, caPem: certificates.caPem }

/** Another client of the same network. */
export const otherClientMaterial: ClientMaterial = { client: certificates.otherClient, caPem: certificates.caPem }
