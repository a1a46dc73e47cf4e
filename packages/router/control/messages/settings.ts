/** Settings of a 1.x controller: of these only a new address of its own has a meaning. */
import { defineHandler } from '../handler.ts'

const newAddress = 1

export const settings = defineHandler('settings', ({ message: { body }, from }, { controllers }) => {
  const address = body.data.get(newAddress)?.toString('utf8')
  if (address !== undefined) controllers.addAddress(from, address)
})
