/** What only a drawn chart needs. It is loaded with the first one. */
export { layOut } from '@dramaturg/drawing';
export { Canvas } from './canvas.tsx';
export { Legend } from './legend.tsx';
