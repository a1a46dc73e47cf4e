/** A body for each kind of entity that can be named: enough to create it, and to replace it by PUT. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '@weft/controller'
import { createPki } from '@weft/pki'
import type { Json } from './api-client.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Makes the body of an entity of a name; two of different names are different in all that must be unique. */
export type Specimen = (name: string) => Json | Promise<Json>

export const primaryFactors = {
  cert: { allowed: true, allowExpiredCerts: true },
  extJwt: { allowed: true, allowedSigners: [] },
  updb: {
    allowed: true,
    minPasswordLength: 5,
    requireSpecialChar: false,
    requireNumberChar: false,
    requireMixedCase: false,
    maxAttempts: 3,
    lockoutDurationMinutes: 5,
  },
}

export const specimens: Readonly<Record<string, Specimen>> = {
  'auth-policies': (name) => ({ name, primary: primaryFactors, secondary: { requireTotp: false } }),
  cas: async (name) => ({
    ...{ name, certPem: await authorityCertificate(), identityRoles: [], identityNameFormat: '[caName]' },
    ...{ isAuthEnabled: false, isAutoCaEnrollmentEnabled: false, isOttCaEnrollmentEnabled: false },
  }),
  'config-types': (name) => ({ name, schema: { type: 'object' } }),
  configs: (name) => ({ name, configTypeId: 'NH5p4FpGR', data: { address: 'localhost', port: 80, protocol: 'tcp' } }),
  'edge-router-policies': (name) => ({ name, semantic: 'AnyOf', edgeRouterRoles: ['#all'], identityRoles: ['#all'] }),
  'edge-routers': (name) => ({ name }),
  'external-jwt-signers': (name) => ({
    ...{ name, issuer: `https://${encodeURIComponent(name)}.example`, audience: 'weft', enabled: true },
    ...{ jwksEndpoint: 'https://keys.example/jwks', claimsProperty: 'sub', useExternalId: true },
  }),
  identities: (name) => ({ name, type: 'User', isAdmin: false }),
  'posture-checks': (name) => ({ name, typeId: 'DOMAIN', domains: ['example.org'] }),
  'service-edge-router-policies': (name) => ({
    ...{ name, semantic: 'AnyOf', edgeRouterRoles: ['#all'], serviceRoles: ['#all'] },
  }),
  'service-policies': (name) => ({
    ...{ name, type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] },
  }),
  services: (name) => ({ name, encryptionRequired: true }),
  'transit-routers': (name) => ({ name }),
}

/** The certificate of an authority that nobody has seen before, PEM. */
export async function authorityCertificate(): Promise<string> {
  await using folder = await temporaryFolder('authority')
  const directory = join(folder.path, 'pki')
  const { files } = await createPki({
    ...{ directory, trustDomain: 'elsewhere', controllerId: 'x', hosts: ['localhost'], clock: systemClock },
  })
  return readFile(files.rootCert, 'utf8')
}
