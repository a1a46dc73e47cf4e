/**
 * Who is calling, as established from a verified token, never from what the request says of itself.
 *
 * A caller is either nobody, someone whose second factor is outstanding, or someone fully authenticated. Stored grants
 * and the admin flag count only in the last case.
 */
export interface Caller {
  readonly kind: 'nobody' | 'partial' | 'full'
  readonly identityId: string
  readonly identityName: string
  readonly isAdmin: boolean
  readonly grants: ReadonlySet<string>
  /** The API session behind the token; undefined for nobody. */
  readonly sessionId: string | undefined
}

export const nobody: Caller = {
  kind: 'nobody',
  identityId: '',
  identityName: '',
  isAdmin: false,
  grants: new Set(),
  sessionId: undefined,
}
