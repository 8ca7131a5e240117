import { type Instance, Office, type OfficeOptions } from './office.ts';

/** Brings an office to the starting point of a case, by the events that lead there. */

/** An instance in which the first turn runs. */
export async function active(options: OfficeOptions = {}, input = {}) {
  const office = new Office(options);
  const a = await office.create('A', 'c', input);
  return { office, a };
}

/** An instance whose first message was sent. */
export async function waiting(options: OfficeOptions = {}, input = {}) {
  const { office, a } = await active(options, input);
  await office.agent('A').answers('Hello.');
  return { office, a };
}

/** An instance whose agent answers the contact. */
export async function replying(options: OfficeOptions = {}, input = {}) {
  const { office, a } = await waiting(options, input);
  await office.receive('c', 'Yes?');
  return { office, a };
}

/** An instance whose agent writes a follow-up. */
export async function followingUp(options: OfficeOptions = {}, input = {}) {
  const { office, a } = await waiting(options, input);
  await office.clock.pass(a.context.heartbeat_config.interval_ms);
  return { office, a };
}

/** An instance that waits for a person. */
export async function flagged(options: OfficeOptions = {}) {
  const { office, a } = await replying(options);
  const agent = office.agent('A');
  await agent.flags('angry');
  await agent.finishes();
  return { office, a };
}

/** A holds the contact c, and the others wait in its queue. */
export async function line(options: OfficeOptions, ...others: string[]) {
  const { office, a } = await active(options);
  const rest: Instance[] = [];
  for (const name of others) rest.push(await office.create(name));
  return { office, instances: [a, ...rest] };
}

/** Says something in every follow-up turn. */
export async function followUp(office: Office, text = 'Are you there?') {
  await office.clock.pass(office.instances.get('A')!.context.heartbeat_config.interval_ms);
  return office.agent('A').answers(text);
}
