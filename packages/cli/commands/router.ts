/**
 * `weft router`: write the configuration file of a router, enroll it and run it.
 */
import { Command } from 'commander'
import { configCommand } from '../router/config-command.ts'
import { enrollCommand } from '../router/enroll-command.ts'
import { runCommand } from '../router/run-command.ts'

export function routerCommand(): Command {
  return new Command('router')
    .description('Set up and run a router.')
    .addCommand(configCommand())
    .addCommand(enrollCommand())
    .addCommand(runCommand())
}
