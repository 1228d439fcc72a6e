document.title = 'Fuzzed by requests';
