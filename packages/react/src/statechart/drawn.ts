/** Exports for drawn charts. They are loaded with the first chart. */
export { layOut } from '@dramaturg/drawing';
export { Canvas } from './canvas.tsx';
export { Legend } from './legend.tsx';
