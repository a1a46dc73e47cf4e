/** How far the data model of a controller has come. */
import { defineHandler } from '../handler.ts'

export const currentIndex = defineHandler('currentIndex', ({ message: { dataModelIndex } }, { model }) => {
  model.takeIndex(dataModelIndex)
})
