/** Whether a caught error has one of these system codes, such as `ENOENT`. */
export function isCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '')
}
