// Style sheets as text: esbuild puts them into the script of the element (--loader:.css=text).
declare module "*.css" {
  const text: string;
  export default text;
}
