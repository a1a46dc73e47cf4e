/** The links that a router has dialled. Only the dialer reports a link. */
import { defineHandler } from '../handler.ts'

export const routerLinks = defineHandler('routerLinks', ({ message: { body }, from }, { fabric, log }) => {
  const links = body.links.map(({ linkProtocol, ...link }) => ({ ...link, protocol: linkProtocol }))
  const refused = fabric.state.links.report(from, { links, isFullRefresh: body.fullRefresh })
  if (refused.length > 0)
    log.warn('links of others were reported', { router: from.routerId, links: refused.slice(0, 10) })
})
