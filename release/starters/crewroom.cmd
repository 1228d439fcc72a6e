@"%~dp0node.exe" "%~dp0node_modules\crewroom\dist\cli\main.js" %*
