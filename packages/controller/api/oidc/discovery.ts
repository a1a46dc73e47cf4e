/**
 * What the provider says of itself, per issuer.
 */
import type { TokenAlgorithm } from '@weft/pki'

/** Below the issuer. Peers build some of these paths themselves, so they are part of the contract. */
export const paths = {
  discovery: '/.well-known/openid-configuration',
  keys: '/keys',
  authorize: '/authorize',
  callback: '/authorize/callback',
  token: '/oauth/token',
  introspect: '/oauth/introspect',
  userinfo: '/userinfo',
  revoke: '/revoke',
  endSession: '/end_session',
  loggedOut: '/logged-out',
  deviceAuthorization: '/device_authorization',
  loginUsername: '/login/username',
  loginPassword: '/login/password',
  loginCert: '/login/cert',
  loginExtJwt: '/login/ext-jwt',
  totp: '/login/totp',
  totpEnroll: '/login/totp/enroll',
  totpVerify: '/login/totp/enroll/verify',
  authQueries: '/login/auth-queries',
} as const

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

export function discoveryDocument(issuer: string, algorithm: TokenAlgorithm) {
  const at = (path: string) => `${issuer}${path}`
  return {
    issuer,
    authorization_endpoint: at(paths.authorize),
    token_endpoint: at(paths.token),
    introspection_endpoint: at(paths.introspect),
    userinfo_endpoint: at(paths.userinfo),
    revocation_endpoint: at(paths.revoke),
    end_session_endpoint: at(paths.endSession),
    device_authorization_endpoint: at(paths.deviceAuthorization),
    jwks_uri: at(paths.keys),
    scopes_supported: ['openid', 'profile', 'email', 'phone', 'address', 'offline_access'],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    claims_supported: [
      'sub',
      'aud',
      'exp',
      'iat',
      'iss',
      'auth_time',
      'nonce',
      'amr',
      'c_hash',
      'at_hash',
      'azp',
      'name',
    ],
    code_challenge_methods_supported: ['S256'],
    ui_locales_supported: ['en'],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    openziti_endpoints: {
      password: at(paths.loginPassword),
      cert: at(paths.loginCert),
      ext_jwt: at(paths.loginExtJwt),
      totp: at(paths.totp),
      totp_enroll: at(paths.totpEnroll),
      totp_enroll_verify: at(paths.totpVerify),
      auth_queries: at(paths.authQueries),
    },
  }
}
