/** `1h2m3.5s`, `5s`, `12.4ms`: how the peers write a duration. */
export function durationText(milliseconds: number): string {
  if (milliseconds === 0) return '0s'
  if (milliseconds < 1_000) return `${rounded(milliseconds)}ms`
  const seconds = milliseconds / 1_000
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor((seconds % 3_600) / 60)
  const rest = `${rounded(seconds % 60)}s`
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${rest}`
}

function rounded(value: number): number {
  return Number(value.toFixed(3))
}
