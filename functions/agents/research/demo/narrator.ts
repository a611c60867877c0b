import { paint } from '../../../../lib/cli/paint.ts';
import { visible } from '../../../../lib/cli/visible.ts';

/** Who speaks in a line of the story: what was done, or the record that a claim was checked against. */
export type Voice = 'server' | 'KILL' | 'person' | 'log' | 'model' | 'desk';

/** Tells the story: numbered chapters of short lines, each with the seconds since the start. */
export class Narrator {
  readonly #stream: NodeJS.WriteStream;
  readonly #began = performance.now();
  #chapters = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  get seconds(): number {
    return (performance.now() - this.#began) / 1_000;
  }

  chapter(title: string): void {
    this.#chapters += 1;
    this.write(`\n${paint(this.#stream).bold(`${this.#chapters}. ${visible(title)}`)}\n`);
  }

  line(voice: Voice, text: string): void {
    const { red, yellow, cyan, green, bold, dim } = paint(this.#stream);
    const plain = (name: string) => name;
    const dress = { server: dim, KILL: bold, person: yellow, log: cyan, model: plain, desk: green }[voice];
    const said = voice === 'KILL' ? red(visible(text)) : visible(text);
    const time = dim(`${this.seconds.toFixed(1).padStart(5)} s`);
    this.write(`${time}  ${dress(voice)}${' '.repeat(8 - voice.length)}${said}\n`);
  }

  /** Text without a time, written as it is. */
  write(text: string): void {
    this.#stream.write(text);
  }
}
