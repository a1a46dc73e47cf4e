/**
 * Who may import whom. Each table runs from the top down: what stands in a row may import its own area and every row
 * below it, neither a neighbour in its row nor a row above. The reason says why nothing below may import the row.
 */

export type Layer = { readonly areas: readonly string[]; readonly why: string }

/** The packages. Tests, measurements and set-up stand outside them. */
export const packageLayers: readonly Layer[] = [
  { areas: ['test', 'bench', 'setup'], why: 'the product does not know how it is tested and measured' },
  { areas: ['packages/cli'], why: 'the command line is one user of the parts, not a part' },
  {
    areas: ['packages/controller', 'packages/router', 'packages/sdk', 'packages/console'],
    why: 'programs meet over the network; what two of them share has a package of its own',
  },
  { areas: ['packages/tunnel'], why: 'it asks for a way to dial and host, which the router and the SDK supply' },
  { areas: ['packages/flow'], why: 'what carries a stream does not ask who tunnels through it' },
  { areas: ['packages/model'], why: 'the vocabulary does not depend on what is said with it' },
  { areas: ['packages/pki'], why: 'certificates name identities without knowing what these may do' },
  { areas: ['packages/wire'], why: 'it is the bottom' },
]

/** The areas of the controller. Of those that hold a file the most exact counts; `.` is the package's own folder. */
export const controllerLayers: readonly Layer[] = [
  { areas: ['testing'], why: 'the product does not know how it is tested' },
  { areas: ['.'], why: 'the few files that know every part put the parts together, and no part asks them back' },
  { areas: ['config'], why: 'the file is read once; a part declares the options it takes and never sees the file' },
  { areas: ['api'], why: 'an entity is the same whatever protocol asks for it' },
  { areas: ['control'], why: 'the fabric decides; how routers are told is not its business' },
  {
    areas: ['enroll', 'posture', 'fabric'],
    why: 'a resource says what it needs signed, reported and connected, not who signs, reports and connects',
  },
  { areas: ['resources'], why: 'resources refer to each other by name, and the kit never asks which one it serves' },
  { areas: ['auth', 'integrity'], why: 'they write through the kit, as every caller does' },
  { areas: ['core'], why: 'the kit works on any state; the core is the one that runs' },
  { areas: ['resource-kit'], why: 'policies and events read rows, however these were declared' },
  { areas: ['metrics'], why: 'a part counts what it does; who reads the counts is not its business' },
  { areas: ['policies', 'events'], why: 'what an operation is does not depend on who judges or reports it' },
  {
    areas: ['operation'],
    why: 'tables and filters refuse in their own words; only operations have callers and status codes',
  },
  { areas: ['query'], why: 'rows are kept without knowing who selects among them' },
  { areas: ['state'], why: 'the store keeps rows and a journal, and gives them no meaning' },
  { areas: ['store'], why: 'everyone logs, so the log needs no one' },
  { areas: ['wanted-rounds.ts'], why: 'lines are written whether or not anybody works in rounds' },
  { areas: ['log'], why: 'time passes whether or not it is logged' },
  { areas: ['turns.ts'], why: 'time passes whether or not anyone waits for a turn' },
  { areas: ['clock.ts', 'version.ts'], why: 'they are the bottom' },
]

/** The areas of the router. */
export const routerLayers: readonly Layer[] = [
  { areas: ['testing'], why: 'the product does not know how it is tested' },
  { areas: ['.'], why: 'the few files that know every part put the parts together, and no part asks them back' },
  { areas: ['managed'], why: 'a part is configured without knowing by whom' },
  { areas: ['web', 'agent', 'inspection'], why: 'a part tells what it has; who looks at it is not its business' },
  { areas: ['control/control-layer.ts'], why: 'what puts the control plane together is asked by the router alone' },
  { areas: ['control/messages'], why: 'a message is a handler; what a handler may use does not depend on the message' },
  {
    areas: ['control/handler.ts', 'link/unserved-routes.ts'],
    why: 'the parts that handlers use do not know that they are used by handlers',
  },
  { areas: ['control/control-context.ts'], why: 'a part does its work whatever message asks for it' },
  {
    areas: ['link', 'data-model', 'facts', 'renewal', 'interfaces'],
    why: 'a channel with a controller does not know what is said over it',
  },
  { areas: ['control'], why: 'who the router is does not depend on whom it is connected to' },
  { areas: ['transport', 'enroll'], why: 'an identity is followed without knowing how it came about' },
  { areas: ['identity'], why: 'the file says where things are; it does not look there' },
  { areas: ['config'], why: 'what can be measured and told has options of its own, not a file' },
  { areas: ['alerts', 'health', 'trace', 'profile', 'work'], why: 'a metric does not know who counts' },
  { areas: ['metrics'], why: 'time passes whether or not it is measured' },
  { areas: ['clock.ts', 'version.ts'], why: 'they are the bottom' },
]

/** The row and area of a path, or undefined if the table does not name it. */
export function placeOf(layers: readonly Layer[], path: string): { row: number; area: string } | undefined {
  let best: { row: number; area: string } | undefined
  for (const [row, { areas }] of layers.entries()) {
    for (const area of areas) {
      const isInside = area === '.' ? !path.includes('/') : path === area || path.startsWith(`${area}/`)
      if (isInside && area.length > (best?.area.length ?? 0)) best = { row, area }
    }
  }
  return best
}

/** Why a file may not import another, or undefined if it may. */
export function findBan(layers: readonly Layer[], from: string, to: string): string | undefined {
  const source = placeOf(layers, from)
  const target = placeOf(layers, to)
  if (source === undefined) return `${from} has no place in the table`
  if (target === undefined) return `${to} has no place in the table`
  if (source.area === target.area || source.row < target.row) return undefined
  const { why } = layers[target.row]!
  return `${from} imports ${to}, but ${target.area} is ${source.row === target.row ? 'beside' : 'above'} ${source.area}: ${why}`
}
