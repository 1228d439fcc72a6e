/** Style sheets are imported for their effect: Vite puts them beside the script that imports them. */
declare module '*.css' {}
