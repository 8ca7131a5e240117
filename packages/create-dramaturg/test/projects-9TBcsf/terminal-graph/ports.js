import { understudyPorts } from 'dramaturg';

/** What answers: an understudy, which asks the questions as they are written and needs no key. */
export const ports = understudyPorts();
