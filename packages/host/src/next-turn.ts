export { nextTurn } from '@dramaturg/compiler';
