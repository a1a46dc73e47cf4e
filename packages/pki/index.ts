/** Keys, certificates and what hangs on them: authorities, chains, identities, and enrollment from both sides. */
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
export { encodeCaBundle, encodeCaBundleText, parseCaBundle, parseCaBundleText } from './ca-bundle.ts'
export { CertificateRequest, parseCertificateRequest } from './certificate-request.ts'
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
export { EnrollError, type EnrollErrorCode, enrollErrors, type Refusal } from './enroll/enroll-error.ts'
export {
  type EnrolledIdentity,
  type EnrollIdentityOptions,
  type ExternalEnrollment,
  enrollIdentity,
  type OwnCertificate,
} from './enroll/enroll-identity.ts'
export {
  type EnrolledRouter,
  type EnrollRouterOptions,
  enrollRouter,
  type RouterFiles,
  writeRouterIdentity,
} from './enroll/enroll-router.ts'
export {
  type CertificateSession,
  type ExtendedCertificate,
  type ExtendIdentityOptions,
  extendIdentityCertificate,
  type IdentityHolder,
} from './enroll/extend-identity.ts'
export { type ExtendedIdentityFile, extendIdentityFile } from './enroll/extend-identity-file.ts'
export { type ExtendedRouter, type ExtendRouterOptions, extendRouterCertificates } from './enroll/extend-router.ts'
export {
  type EnrollmentTransport,
  type HttpsRequest,
  HttpsTransport,
  type PinnedAnswer,
  type PinnedRequest,
} from './enroll/https-transport.ts'
export type { EnrollDeps } from './enroll/met-controller.ts'
export { type ReceivedMethod, type ReceivedToken, readToken, verifyToken } from './enroll/received-token.ts'
export { apiSessionCertificateLifetime, EnrollmentIssuer } from './enrollment-issuer.ts'
export {
  type EnrollmentInvitation,
  type EnrollmentMethod,
  signCaToken,
  signEnrollmentToken,
  signNetworkToken,
  TokenSigner,
} from './enrollment-token.ts'
export type { AlternativeNames, KeyUsage, Purpose } from './extensions.ts'
export { FileWatcher, type FileWatcherOptions } from './file-watcher.ts'
export { certificateFingerprint, publicKeyPrint } from './fingerprint.ts'
export { createNetworkPki, defaultRootName, type NetworkPki, type NetworkPkiRequest } from './folder/create-network.ts'
export { type EntryKind, type FolderEntry, keyKindOf } from './folder/folder-entries.ts'
export type { EntryFiles } from './folder/folder-layout.ts'
export {
  type FolderAuthority,
  type FolderAuthorityRequest,
  type FolderCsrRequest,
  type FolderLeafRequest,
  type FolderPlace,
  PkiFolder,
} from './folder/pki-folder.ts'
export { type HostNames, sortHosts } from './hosts.ts'
export {
  clientApisOf,
  encodeIdentityFile,
  type IdentityFile,
  type IdentitySources,
  type LoadedIdentityFile,
  loadIdentityFile,
  parseIdentityFile,
  writeIdentityFile,
} from './identity-file.ts'
export {
  type Identity,
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
  keyKinds,
  keyMatchesCertificate,
  parsePrivateKey,
  publicKeyOf,
  type TokenAlgorithm,
  tokenAlgorithmOf,
} from './keys.ts'
export type { Leaf, RenewalReason } from './leaf-files.ts'
export { gatherAuthorities, type NetworkAuthorities } from './network-authorities.ts'
export { decodePem, encodePem, type PemBlock, type PemLimits, pemLimits } from './pem.ts'
export { PkiError, type PkiErrorCode, pkiErrors } from './pki-error.ts'
export { type PkiFiles, pkiFiles } from './pki-files.ts'
export { followIdentity, followSigningCertificate, Reloading, type ReloadListener } from './reloading.ts'
export type { IdentityProblem } from './section-reader.ts'
export { type RequestedCertificate, signCertificateRequest } from './sign-certificate-request.ts'
export {
  type LoadedSigningCertificate,
  loadSigningCertificate,
  type SigningCertificate,
  type SigningCertificateOptions,
} from './signing-certificate.ts'
export { formatSpiffeId, parseSpiffeId, parseTrustDomain, type SpiffeId, spiffeIdOf } from './spiffe.ts'
export { resolveTrustDomain, type TrustDomain, type TrustDomainEvidence } from './trust-domain.ts'
export {
  type ChainRefusal,
  type ChainRequest,
  type ChainVerdict,
  chainRefusals,
  verifyChain,
} from './verify-chain.ts'
export {
  type ClientCertificateRequest,
  type ClientCertificateVerdict,
  type RegisteredAuthority,
  verifyClientCertificate,
} from './verify-client-certificate.ts'
export { writeFileAtomic } from './write-file-atomic.ts'
