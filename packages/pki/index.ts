/** Keys, certificates and what hangs on them: authorities, chains, identity sections, enrollment tokens. */
export {
  type AuthorityMaterial,
  type AuthorityRequest,
  authorityLifetime,
  backdating,
  CertificateAuthority,
  type IssuedCertificate,
  type LeafRequest,
  leafLifetime,
} from './authority.ts'
export { encodeCaBundle, encodeCaBundleText } from './ca-bundle.ts'
export {
  Certificate,
  encodeCertificates,
  parseCertificates,
  parseLeafCertificate,
  uniqueCertificates,
} from './certificates.ts'
export type { Clock } from './clock.ts'
export { completeChain, withoutRoot } from './complete-chain.ts'
export { createPki, type Pki, type PkiOptions, renewalWindow } from './create-pki.ts'
export type { DistinguishedName } from './distinguished-name.ts'
export {
  type EnrollmentInvitation,
  type EnrollmentMethod,
  signCaToken,
  signEnrollmentToken,
  signNetworkToken,
  TokenSigner,
} from './enrollment-token.ts'
export type { AlternativeNames, Purpose } from './extensions.ts'
export { certificateFingerprint, publicKeyPrint } from './fingerprint.ts'
export {
  type Identity,
  type IdentityProblem,
  type IdentityRole,
  type IdentitySectionOptions,
  type KeyedCertificate,
  type LoadedIdentity,
  loadIdentitySection,
} from './identity-section.ts'
export {
  encodePrivateKey,
  generatePrivateKey,
  type KeyKind,
  keyMatchesCertificate,
  parsePrivateKey,
  publicKeyOf,
  type TokenAlgorithm,
  tokenAlgorithmOf,
} from './keys.ts'
export type { Leaf, RenewalReason } from './leaf-files.ts'
export { decodePem, encodePem, type PemBlock, type PemLimits, pemLimits } from './pem.ts'
export { PkiError, type PkiErrorCode, pkiErrors } from './pki-error.ts'
export { type PkiFiles, pkiFiles } from './pki-files.ts'
export { formatSpiffeId, parseSpiffeId, parseTrustDomain, type SpiffeId, spiffeIdOf } from './spiffe.ts'
export { resolveTrustDomain, type TrustDomain, type TrustDomainEvidence } from './trust-domain.ts'
export {
  type ChainRefusal,
  type ChainRequest,
  type ChainVerdict,
  chainRefusals,
  verifyChain,
} from './verify-chain.ts'
