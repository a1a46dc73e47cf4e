/** What the channel of a link is called in logs and traces. Patterns of operators who trace links look for this. */
const prefix = 'l/'

export function linkChannelName(linkId: string): string {
  return `${prefix}${linkId}`
}

export function isLinkChannel(name: string): boolean {
  return name.startsWith(prefix)
}
