/** A page with 300 boxes that are dragged as one layer: what any page costs on this machine. */
export const plainPage = `<!doctype html>
<style>
  body { margin: 0; overflow: hidden }
  i { position: absolute; width: 90px; height: 40px; border: 1px solid; font: 12px sans-serif }
</style>
<main></main>
<script>
  const main = document.querySelector('main');
  for (let box = 0; box < 300; box += 1) {
    const element = document.createElement('i');
    element.textContent = 'state ' + box;
    element.style.left = 100 * (box % 20) + 'px';
    element.style.top = 60 * Math.floor(box / 20) + 'px';
    main.append(element);
  }
  let scale = 1, x = 0, y = 0;
  const move = () => (main.style.transform = \`translate(\${x}px, \${y}px) scale(\${scale})\`);
  onmousemove = (event) => { if (event.buttons) { x += event.movementX; y += event.movementY; move(); } };
  onwheel = (event) => { scale *= event.deltaY < 0 ? 1.1 : 1 / 1.1; move(); };
</script>`;
