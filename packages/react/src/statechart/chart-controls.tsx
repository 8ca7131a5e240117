import type { Drawing } from '@dramaturg/compiler/chart';
import { type Marks, type PlacedDrawing, toSvg } from '@dramaturg/drawing';
import { ControlButton, Controls } from '@xyflow/react';
import type { ColorScheme } from '../color-scheme.ts';

interface ChartControlsProps {
  readonly drawing: Drawing;
  readonly placed: PlacedDrawing;
  readonly marks: Marks;
  readonly colorScheme?: ColorScheme | undefined;
  readonly isMaximised: boolean;
  readonly onMaximise: (isMaximised: boolean) => void;
  readonly onShowAll: () => void;
}

/** The buttons of a chart: zoom, show all, maximise, and save as a picture. */
export function ChartControls(props: ChartControlsProps) {
  const { drawing, placed, marks, colorScheme = 'auto', isMaximised, onMaximise } = props;
  const { title } = drawing;
  const maximise = isMaximised ? 'Make the chart small again' : 'Maximise';
  return (
    <Controls
      showInteractive={false}
      showFitView={false}
      position="bottom-left"
      aria-label="Zoom and pictures"
    >
      <Button
        name="Show all"
        onClick={props.onShowAll}
        d="M1 5V1h4M11 1h4v4M15 11v4h-4M5 15H1v-4"
      />
      <Button
        name={maximise}
        onClick={() => onMaximise(!isMaximised)}
        d={isMaximised ? 'M2 6h4V2M14 6h-4V2M14 10h-4v4M2 10h4v4' : 'M2 2h12v12H2zM2 5h12'}
      />
      <Button
        name="Save as SVG"
        onClick={() => saveSvg(toSvg(placed, { title, marks, colorScheme }), title)}
        d="M8 1v9M4.5 6.5L8 10l3.5-3.5M2 14h12"
      />
      <Button
        name="Save as PNG"
        onClick={() => void savePng(toSvg(placed, { title, marks, colorScheme }), title)}
        d="M1.5 3h13v10h-13zM1.5 11l4-4 3 3 2-2 4 4M11 6h.01"
      />
    </Controls>
  );
}

interface ButtonProps {
  readonly name: string;
  readonly onClick: () => void;
  /** The path of its icon, in a square of 16 pixels. */
  readonly d: string;
}

function Button({ name, onClick, d }: ButtonProps) {
  return (
    <ControlButton onClick={onClick} title={name} aria-label={name}>
      <svg viewBox="0 0 16 16" aria-hidden className="dg-control-icon">
        <path d={d} />
      </svg>
    </ControlButton>
  );
}

/** Pixels of a PNG for each pixel of the drawing, and the longest side that browsers allow. */
const density = 2;
const sideMax = 8_192;

function saveSvg(svg: string, title: string): void {
  save(URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' })), `${fileName(title)}.svg`);
}

async function savePng(svg: string, title: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const { naturalWidth: width, naturalHeight: height } = image;
  const scale = Math.min(density, sideMax / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && save(URL.createObjectURL(blob), `${fileName(title)}.png`));
}

function save(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the data during or directly after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function fileName(title: string): string {
  return title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'statechart';
}
