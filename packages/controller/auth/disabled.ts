/** Whether an identity is locked out at this moment: disabled for good, or until a time that has not come. */
export function isDisabled(
  identity: { readonly disabledAt: string | null; readonly disabledUntil: string | null },
  now: number,
): boolean {
  if (identity.disabledAt === null) return false
  return identity.disabledUntil === null || Date.parse(identity.disabledUntil) > now
}
