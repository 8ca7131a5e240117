export type { Clock } from './clock/clock.ts';
export { realClock } from './clock/real.ts';
export { virtualClock, type VirtualClock, type VirtualClockOptions } from './clock/virtual.ts';
export { understudyPorts, type UnderstudyOptions } from './understudy/understudy.ts';
