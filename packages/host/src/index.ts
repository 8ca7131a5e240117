export { understudyPorts, type UnderstudyOptions } from './understudy/understudy.ts';
